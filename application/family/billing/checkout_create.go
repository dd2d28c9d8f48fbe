package billing

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/payment"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// Errors of checkouts.
var (
	errNoPriceNamed = fault.Invalid("/price_id", "provide either price_id, or the product_id of a product with one active price")
	errNotSold      = fault.Unfit("/price_id", "is no longer sold: choose another price")
	errTrial        = fault.New(fault.Denied, "only the workspace that sells the product can change the trial, with the permission "+writing)
)

// CheckoutCreateParams are the parameters of BILLING.CHECKOUT_CREATE.
type CheckoutCreateParams struct {
	PriceID    billing.PriceID `json:"price_id,omitzero" doc:"ID of the price to buy at. Required unless product_id is set."`
	ProductID  product.Ref     `json:"product_id,omitzero" doc:"The product to buy, by ID or slug, instead of price_id. The product must have exactly one active price." example:"-"`
	Quantity   int64           `json:"quantity,omitzero" doc:"Number of units to buy. Defaults to 1." jsonschema:"minimum=1,maximum=1000000000,example=1"`
	OrgID      workspace.ID    `json:"org_id,omitzero" doc:"Workspace to buy for. Requires billing:write in that workspace. Omit to buy for yourself." example:"-"`
	Coupon     billing.Code    `json:"coupon,omitzero" doc:"Coupon code." example:"-"`
	SuccessURL string          `json:"success_url" doc:"URL the browser returns to after payment. Must be registered by the seller or by the operator of the instance." jsonschema:"format=uri,maxLength=2048,example=https://app.example.com/bought"`
	CancelURL  string          `json:"cancel_url,omitzero" doc:"URL the browser returns to if the buyer does not pay. Must be registered like success_url." jsonschema:"format=uri,maxLength=2048" example:"-"`
	TrialDays  *int            `json:"trial_days,omitzero" doc:"Days of free trial, instead of the trial of the price. Only the seller can set it." jsonschema:"minimum=0,maximum=730" example:"-"`
}

// CheckoutCreateResult is the result of BILLING.CHECKOUT_CREATE.
type CheckoutCreateResult struct {
	Checkout CreatedCheckout `json:"checkout" doc:"The checkout."`
}

// CreatedCheckout is where somebody pays.
type CreatedCheckout struct {
	ID        billing.CheckoutID `json:"id" doc:"ID of the checkout."`
	URL       string             `json:"url" doc:"URL of the payment page to send the browser to."`
	ExpiresAt time.Time          `json:"expires_at" doc:"When the payment page expires."`
}

func (s *Service) checkoutCreate() command.Definition {
	return command.Define(command.Spec[CheckoutCreateParams, CheckoutCreateResult]{
		Name:    "BILLING.CHECKOUT_CREATE",
		Summary: "Create a checkout.",
		Description: "Starts a purchase at the payment processor of the product, for yourself or for a workspace. Send the browser to the returned `url`.\n\n" +
			"If you have an open checkout for the same purchase, it is returned again. The purchase takes effect when the processor confirms it, " +
			"not when the browser returns. Check the result with BILLING.CHECKOUT_GET.\n\n" +
			"A customer gets only one free trial of each product, and can have at most 50 unpaid checkouts.",
		Access:      access.User().Scoped(writing),
		InWorkspace: true,
		Effect:      command.Outside,
		Emits:       []event.Kind{billing.KindCheckoutCreated},
		Handle: func(ctx context.Context, call command.Call, p CheckoutCreateParams) (CheckoutCreateResult, error) {
			order, err := s.order(ctx, call.Caller, p)
			if err != nil {
				return CheckoutCreateResult{}, err
			}
			begun, err := s.Payments.Begin(ctx, order)
			if err == nil && begun.Pending {
				_, err = s.Payments.Carry(ctx, begun.Intent, s.pause(ctx))
			}
			if err != nil {
				return CheckoutCreateResult{}, err
			}
			made, err := s.Sales.Checkout(ctx, begun.ID)
			if err == nil && made.Status == billing.CheckoutPending {
				err = billing.ErrSilent
			}
			return CheckoutCreateResult{CreatedCheckout{ID: begun.ID, URL: made.URL, ExpiresAt: made.ExpiresAt}}, err
		},
	})
}

// pause waits outside of the transaction around a command.
func (s *Service) pause(ctx context.Context) payment.Pause {
	return func(wait func() error) error { return s.Transactions.Pause(ctx, wait) }
}

// order returns what a caller wants to buy.
func (s *Service) order(ctx context.Context, caller access.Caller, p CheckoutCreateParams) (payment.Order, error) {
	price, sold, err := s.offer(ctx, caller, p)
	if err != nil {
		return payment.Order{}, err
	}
	o := payment.Order{Price: price, Name: caller.Profile.DisplayName, Email: caller.Profile.Email.String()}
	o.Checkout = billing.CheckoutSnapshot{
		Sale: billing.Sale{OrgID: sold.OrgID, ProductID: sold.ID, Buyer: billing.Buyer{UserID: caller.User}}, Quantity: max(p.Quantity, 1),
		Coupon: p.Coupon.Folded(), TrialDays: price.TrialDays, SuccessURL: p.SuccessURL, CancelURL: p.CancelURL,
	}
	if p.OrgID != "" {
		if !caller.May(writing) {
			return payment.Order{}, errWrites
		}
		o.Checkout.Buyer, o.Name, o.Email = billing.Buyer{OrgID: p.OrgID}, "", ""
	}
	if p.TrialDays != nil && *p.TrialDays != price.TrialDays {
		if !caller.Sees(sold.OrgID) || !caller.May(writing) {
			return payment.Order{}, errTrial
		}
		o.Checkout.TrialDays = *p.TrialDays
	}
	if err := s.returnable(ctx, "/success_url", p.SuccessURL, sold.OrgID); err != nil {
		return payment.Order{}, err
	}
	if err := s.returnable(ctx, "/cancel_url", p.CancelURL, sold.OrgID); err != nil {
		return payment.Order{}, err
	}
	o.Checkout.Account, err = s.able(ctx, sold, o)
	return o, err
}

// offer returns the price that a caller wants to buy by, and its product.
func (s *Service) offer(ctx context.Context, caller access.Caller, p CheckoutCreateParams) (billing.PriceSnapshot, product.Snapshot, error) {
	price, err := s.named(ctx, caller, p)
	if err != nil {
		return price, product.Snapshot{}, err
	}
	sold, err := s.Products.Find(ctx, product.Ref(price.ProductID.String()))
	switch {
	case err != nil:
		return price, sold, err
	case !shown(caller, sold):
		err = billing.ErrNoPrice
	case sold.Archived || !price.Active:
		err = errNotSold
	}
	return price, sold, err
}
