package pages

import (
	"errors"

	"gatehouse.internal/adapters/payment/sandbox"
)

// sale shows a page of the sandbox, where somebody would pay.
func (v *visit) sale() error {
	shown, err := v.site.Dev.Payments.Show(v.r.Context(), v.r.PathValue("id"))
	if errors.Is(err, sandbox.ErrNoSale) {
		return errNoPage
	}
	if err != nil {
		return err
	}
	return v.show("sale", "Sandbox payment", shown)
}

// portal shows where a customer would see to their cards and addresses.
func (v *visit) portal() error {
	shown, err := v.site.Dev.Payments.Portal(v.r.Context(), v.r.PathValue("id"))
	if errors.Is(err, sandbox.ErrNoSale) {
		return errNoPage
	}
	if err != nil {
		return err
	}
	return v.show("portal", "Sandbox portal", shown)
}

// actOnSale does what a button of that page says.
func (v *visit) actOnSale() error {
	id := v.r.PathValue("id")
	err := v.site.Dev.Payments.Act(v.r.Context(), id, v.r.PathValue("act"))
	back := "/dev/payments/" + id
	switch {
	case errors.Is(err, sandbox.ErrNoSale):
		return errNoPage
	case errors.Is(err, sandbox.ErrNoAct):
		return v.wrong("That cannot be done any more.", back)
	case errors.Is(err, sandbox.ErrUntold):
		return v.wrong("It is done, and the service was not told of it: BILLING.SYNC mends that.", back)
	case err != nil:
		return err
	}
	return v.done("It is done, and the service was told of it.", back)
}
