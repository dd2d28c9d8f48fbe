package development

import (
	"errors"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/adapters/payment/sandbox"
)

// sale shows the checkout of the payment sandbox.
func (v *visit) sale() error {
	shown, err := v.dev.Payments.Show(v.Request.Context(), v.Request.PathValue("id"))
	return v.inSandbox("sale", "Sandbox payment", shown, err)
}

// portal shows the customer portal of the sandbox.
func (v *visit) portal() error {
	shown, err := v.dev.Payments.Portal(v.Request.Context(), v.Request.PathValue("id"))
	return v.inSandbox("portal", "Sandbox portal", shown, err)
}

// saleInvoice shows an invoice of the sandbox.
func (v *visit) saleInvoice() error {
	shown, err := v.dev.Payments.Invoice(v.Request.Context(), v.Request.PathValue("id"))
	return v.inSandbox("saleinvoice", "Sandbox invoice", shown, err)
}

// inSandbox shows a page of the sandbox.
func (v *visit) inSandbox(page, title string, shown any, err error) error {
	if errors.Is(err, sandbox.ErrNoSale) {
		return kit.ErrNoPage
	}
	if err != nil {
		return err
	}
	return v.present(page, title, shown)
}

// actOnSale performs the action of a button on the checkout.
func (v *visit) actOnSale() error {
	id := v.Request.PathValue("id")
	err := v.dev.Payments.Act(v.Request.Context(), id, v.Request.PathValue("act"))
	back := "/dev/payments/" + id
	switch {
	case errors.Is(err, sandbox.ErrNoSale):
		return kit.ErrNoPage
	case errors.Is(err, sandbox.ErrNoAct):
		return v.Wrong("This action is no longer possible.", back)
	case errors.Is(err, sandbox.ErrHookLost):
		return v.Wrong("Done, but the webhook was lost. Run BILLING.SYNC to catch up.", back)
	case err != nil:
		return err
	}
	return v.Done("Done. The service received the webhook.", back)
}
