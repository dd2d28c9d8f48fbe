package payment

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// call calls a processor, outside any transaction.
type call func(context.Context) ([]billing.Fact, error)

// one makes a list of the fact that a call answers.
func one(fact billing.Fact, err error) ([]billing.Fact, error) { return []billing.Fact{fact}, err }

// prepare returns the call for an intent. It fails with errMoot.
func (s *Service) prepare(ctx context.Context, i billing.Intent) (call, error) {
	to, err := s.Of(i.Account)
	if err != nil {
		return nil, err
	}
	switch i.Kind {
	case billing.IntentCheckout, billing.IntentComplete:
		return s.prepareCheckout(ctx, to, i)
	case billing.IntentRefund:
		return s.prepareRefund(ctx, to, i)
	case billing.IntentCancel, billing.IntentResume, billing.IntentUpdate, billing.IntentUsage:
		return s.prepareSubscription(ctx, to, i)
	case billing.IntentCustomer:
		return s.prepareCustomer(ctx, to, i)
	}
	return nil, fmt.Errorf("unknown kind of processor call %q", i.Kind)
}

func (s *Service) prepareRefund(ctx context.Context, to commerce.Processor, i billing.Intent) (call, error) {
	found, err := s.Sales.Refunds(ctx, commerce.SaleQuery{ID: i.Subject})
	if err == nil && (len(found) == 0 || found[0].Remote.ID != "") {
		err = errMoot
	}
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) ([]billing.Fact, error) {
		return one(to.Changing().Refund(ctx, found[0], i.ID.String()))
	}, nil
}

func (s *Service) prepareSubscription(ctx context.Context, to commerce.Processor, i billing.Intent) (call, error) {
	sub, err := s.Sales.Subscription(ctx, billing.SubscriptionID(i.Subject))
	if errors.Is(err, billing.ErrNoSubscription) || (err == nil && sub.Status == billing.Ended) {
		err = errMoot
	}
	if err != nil {
		return nil, err
	}
	switch i.Kind { //nolint:exhaustive // what is left is to be canceled or resumed
	case billing.IntentUpdate:
		return s.prepareUpdate(ctx, to, i, sub)
	case billing.IntentUsage:
		return s.prepareUsage(ctx, to, i, sub)
	}
	return func(ctx context.Context) ([]billing.Fact, error) {
		if i.Kind == billing.IntentResume {
			return one(to.Changing().ResumeSubscription(ctx, sub.Remote.ID, i.ID.String()))
		}
		return one(to.Changing().CancelSubscription(ctx, sub.Remote.ID, i.AtPeriodEnd, i.ID.String()))
	}, nil
}

func (s *Service) prepareUpdate(ctx context.Context, to commerce.Processor, i billing.Intent, sub billing.SubscriptionSnapshot) (call, error) {
	of, err := s.Sales.Checkout(ctx, i.CheckoutID)
	if err != nil {
		return nil, err
	}
	of.PriceID = i.Plan.PriceID
	env, err := s.surround(ctx, of)
	if err != nil {
		return nil, err
	}
	change := commerce.SubscriptionChange{
		Subscription: sub, Price: env.price, Quantity: i.Plan.Quantity, Discount: i.Plan.Discount, Proration: i.Plan.Proration,
	}
	return func(ctx context.Context) (facts []billing.Fact, err error) {
		if change.PriceID, err = s.remotePrice(ctx, to, commerce.PriceOrder{Price: env.price, Product: env.product.Name}); err != nil {
			return nil, err
		}
		if change.CouponID, err = s.remoteCoupon(ctx, to, sub.Sale, i.Plan.Coupon); err != nil {
			return nil, err
		}
		return to.Changing().UpdateSubscription(ctx, change, i.ID.String())
	}, nil
}

func (s *Service) prepareCheckout(ctx context.Context, to commerce.Processor, i billing.Intent) (call, error) {
	of, err := s.Sales.Checkout(ctx, i.CheckoutID)
	stage := billing.CheckoutPending
	if i.Kind == billing.IntentComplete {
		stage = billing.CheckoutOpen
	}
	if errors.Is(err, billing.ErrNoCheckout) || (err == nil && of.Status != stage) {
		err = errMoot
	}
	if err != nil {
		return nil, err
	}
	env, err := s.surround(ctx, of)
	if err != nil {
		return nil, err
	}
	buyer, err := s.Customers.Find(ctx, commerce.CustomerQuery{ID: of.CustomerID})
	if err != nil {
		return nil, err
	}
	order := commerce.CheckoutOrder{
		Checkout: of, Price: env.price, Product: env.product.Name, CustomerID: buyer.ProcessorID, Name: buyer.Name, Email: buyer.Email,
	}
	return func(ctx context.Context) (facts []billing.Fact, err error) {
		if order.PriceID, err = s.remotePrice(ctx, to, commerce.PriceOrder{Price: env.price, Product: env.product.Name}); err != nil {
			return nil, err
		}
		if order.CouponID, err = s.remoteCoupon(ctx, to, of.Sale, of.Coupon); err != nil {
			return nil, err
		}
		if i.Kind == billing.IntentComplete {
			// The key makes completion idempotent, however often the processor reports
			// the approval.
			return to.Selling().Complete(ctx, order, of.CheckoutID.String())
		}
		return one(to.Selling().CreateCheckout(ctx, order, i.ID.String()))
	}, nil
}

func (s *Service) prepareCustomer(ctx context.Context, to commerce.Processor, i billing.Intent) (call, error) {
	of, err := s.Customers.Find(ctx, commerce.CustomerQuery{ID: billing.CustomerID(i.Subject)})
	if errors.Is(err, billing.ErrNoCustomer) {
		err = errMoot
	}
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context) ([]billing.Fact, error) {
		return nil, to.Serving().UpdateCustomer(ctx, of, i.ID.String())
	}, nil
}
