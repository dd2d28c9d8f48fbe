package billing

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// CheckoutGetParams are the parameters of BILLING.CHECKOUT_GET.
type CheckoutGetParams struct {
	CheckoutID billing.CheckoutID `json:"checkout_id" doc:"ID of the checkout."`
}

// CheckoutGetResult is the result of BILLING.CHECKOUT_GET.
type CheckoutGetResult struct {
	Checkout     Checkout      `json:"checkout" doc:"The checkout."`
	Subscription *Subscription `json:"subscription,omitzero" doc:"The subscription that was bought. Absent if there is none."`
	License      *view.License `json:"license,omitzero" doc:"The license that came with the purchase. Absent until it is issued."`
}

func (s *Service) checkoutGet() command.Definition {
	return command.Define(command.Spec[CheckoutGetParams, CheckoutGetResult]{
		Name:    "BILLING.CHECKOUT_GET",
		Summary: "Retrieve a checkout with what was bought.",
		Description: "Call this when the browser returns, to see whether the purchase is complete.\n\n" +
			"You can retrieve the checkouts of your own purchases. With `billing:read`, you can also retrieve the checkouts of your workspace's " +
			"purchases and sales.",
		Access: access.User(),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p CheckoutGetParams) (result CheckoutGetResult, err error) {
			found, err := s.Sales.Checkout(ctx, p.CheckoutID)
			if err == nil && !sees(call.Caller, found.Sale) {
				err = billing.ErrNoCheckout
			}
			if err != nil {
				return result, err
			}
			result.Checkout = showCheckout(found)
			subscriptions, err := s.Sales.Subscriptions(ctx, commerce.SaleQuery{Checkout: found.CheckoutID, Limit: 1})
			if err != nil {
				return result, err
			}
			for _, one := range subscriptions {
				shown := showSubscription(one)
				result.Subscription = &shown
			}
			if found.LicenseID == "" {
				return result, nil
			}
			given, err := s.Licenses.Find(ctx, found.LicenseID)
			if err == nil {
				shown := view.OfLicense(given, s.Clock.Now())
				result.License = &shown
			}
			return result, err
		},
	})
}
