package pages

import (
	"errors"

	"gatehouse.internal/adapters/payment/sandbox"
)

// sale shows the checkout of the payment sandbox.
func (v *visit) sale() error {
	shown, err := v.site.Dev.Payments.Show(v.r.Context(), v.r.PathValue("id"))
	return v.inSandbox("sale", "Sandbox payment", shown, err)
}

// portal shows the customer portal of the sandbox.
func (v *visit) portal() error {
	shown, err := v.site.Dev.Payments.Portal(v.r.Context(), v.r.PathValue("id"))
	return v.inSandbox("portal", "Sandbox portal", shown, err)
}

// saleInvoice shows an invoice of the sandbox.
func (v *visit) saleInvoice() error {
	shown, err := v.site.Dev.Payments.Invoice(v.r.Context(), v.r.PathValue("id"))
	return v.inSandbox("saleinvoice", "Sandbox invoice", shown, err)
}

// inSandbox shows a page of the sandbox.
func (v *visit) inSandbox(page, title string, shown any, err error) error {
	if errors.Is(err, sandbox.ErrNoSale) {
		return errNoPage
	}
	if err != nil {
		return err
	}
	return v.show(page, title, shown)
}

// actOnSale performs the action of a button on the checkout.
func (v *visit) actOnSale() error {
	id := v.r.PathValue("id")
	err := v.site.Dev.Payments.Act(v.r.Context(), id, v.r.PathValue("act"))
	back := "/dev/payments/" + id
	switch {
	case errors.Is(err, sandbox.ErrNoSale):
		return errNoPage
	case errors.Is(err, sandbox.ErrNoAct):
		return v.wrong("This action is no longer possible.", back)
	case errors.Is(err, sandbox.ErrHookLost):
		return v.wrong("Done, but the webhook was lost. Run BILLING.SYNC to catch up.", back)
	case err != nil:
		return err
	}
	return v.done("Done. The service received the webhook.", back)
}
