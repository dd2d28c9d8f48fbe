package stripe

import (
	"context"
	"errors"

	"github.com/stripe/stripe-go/v85"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// CancelSubscription cancels a subscription, now or at the end of its period.
func (s *Stripe) CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, key string) (billing.Fact, error) {
	if atPeriodEnd {
		return s.update(ctx, id, &stripe.SubscriptionUpdateParams{CancelAtPeriodEnd: &atPeriodEnd}, key)
	}
	at := s.options.Clock.Now()
	params := &stripe.SubscriptionCancelParams{}
	params.SetIdempotencyKey(key)
	ended, err := s.api.V1Subscriptions.Cancel(ctx, id, params)
	if err == nil {
		return subscription(at, ended), nil
	}
	refused := apiError(err)
	if !errors.Is(refused, billing.ErrRefused) {
		return billing.Fact{}, refused
	}
	// An earlier call, whose response was lost and whose key has expired, may have canceled it.
	if ended, err = s.api.V1Subscriptions.Retrieve(ctx, id, nil); err != nil || ended.Status != stripe.SubscriptionStatusCanceled {
		return billing.Fact{}, refused
	}
	return subscription(at, ended), nil
}

// ResumeSubscription undoes a cancellation.
func (s *Stripe) ResumeSubscription(ctx context.Context, id, key string) (billing.Fact, error) {
	return s.update(ctx, id, &stripe.SubscriptionUpdateParams{CancelAtPeriodEnd: new(bool)}, key)
}

func (s *Stripe) update(ctx context.Context, id string, params *stripe.SubscriptionUpdateParams, key string) (billing.Fact, error) {
	at := s.options.Clock.Now()
	params.SetIdempotencyKey(key)
	changed, err := s.api.V1Subscriptions.Update(ctx, id, params)
	if err != nil {
		return billing.Fact{}, apiError(err)
	}
	return subscription(at, changed), nil
}

// UpdateSubscription changes the price, quantity or coupon of a subscription.
func (s *Stripe) UpdateSubscription(ctx context.Context, change commerce.SubscriptionChange, key string) ([]billing.Fact, error) {
	id := change.Subscription.Remote.ID
	held, err := s.api.V1Subscriptions.Retrieve(ctx, id, nil)
	if err != nil {
		return nil, apiError(err)
	}
	if len(payment.Value(held.Items).Data) != 1 {
		return nil, billing.ErrRefused
	}
	item := &stripe.SubscriptionUpdateItemParams{ID: &held.Items.Data[0].ID, Price: &change.PriceID}
	if change.Price.Model != billing.Metered {
		item.Quantity = &change.Quantity
	}
	params := &stripe.SubscriptionUpdateParams{Items: []*stripe.SubscriptionUpdateItemParams{item}, ProrationBehavior: new(proration(change.Proration))}
	if change.CouponID != "" {
		params.Discounts = []*stripe.SubscriptionUpdateDiscountParams{{Coupon: &change.CouponID}}
	}
	fact, err := s.update(ctx, id, params, key)
	return []billing.Fact{fact}, err
}

func proration(p billing.Proration) string {
	switch p {
	case billing.ProrateNow:
		return "always_invoice"
	case billing.ProrateNone:
		return "none"
	case billing.ProrateNext:
	}
	return "create_prorations"
}

// Refund refunds an amount of a payment. A refund that an earlier call created is found by our identifier, also
// after its idempotency key expired.
func (s *Stripe) Refund(ctx context.Context, of billing.RefundSnapshot, key string) (billing.Fact, error) {
	by := view{at: s.options.Clock.Now(), checkout: of.CheckoutID}
	for found, err := range s.api.V1Refunds.List(ctx, &stripe.RefundListParams{PaymentIntent: &of.Payment, ListParams: whole()}).All(ctx) {
		if err != nil {
			return billing.Fact{}, apiError(err)
		}
		if found.Metadata[refundKey] == of.ID.String() {
			return by.refund(found, of.Payment), nil
		}
	}
	minor, err := payment.Cents(of.Amount)
	if err != nil {
		return billing.Fact{}, err
	}
	params := &stripe.RefundCreateParams{
		PaymentIntent: &of.Payment, Amount: &minor, Metadata: map[string]string{refundKey: of.ID.String(), checkoutKey: of.CheckoutID.String()},
	}
	params.SetIdempotencyKey(key)
	made, err := s.api.V1Refunds.Create(ctx, params)
	if err != nil {
		return billing.Fact{}, apiError(err)
	}
	return by.refund(made, of.Payment), nil
}
