package stripe

import (
	"context"
	"errors"
	"net/url"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// CancelSubscription ends a subscription, now or with its period.
func (s *Stripe) CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, key string) (billing.Fact, error) {
	if atPeriodEnd {
		return s.update(ctx, id, url.Values{"cancel_at_period_end": {"true"}}, key)
	}
	at := s.options.Clock.Now()
	var ended sub
	refused := s.end(ctx, "subscriptions/"+url.PathEscape(id), key, &ended)
	if refused == nil || !errors.Is(refused, billing.ErrRefused) {
		return subscription(at, ended), refused
	}
	// It may have ended by a call that was not answered, whose key has expired.
	held, err := s.subscription(ctx, id)
	if err != nil || held.Status != "canceled" {
		return billing.Fact{}, refused
	}
	return subscription(at, held), nil
}

func (s *Stripe) subscription(ctx context.Context, id string) (held sub, err error) {
	err = s.get(ctx, "subscriptions/"+url.PathEscape(id), nil, &held)
	return held, err
}

// ResumeSubscription undoes a cancellation.
func (s *Stripe) ResumeSubscription(ctx context.Context, id, key string) (billing.Fact, error) {
	return s.update(ctx, id, url.Values{"cancel_at_period_end": {"false"}}, key)
}

func (s *Stripe) update(ctx context.Context, id string, fields url.Values, key string) (billing.Fact, error) {
	at := s.options.Clock.Now()
	var changed sub
	err := s.post(ctx, "subscriptions/"+url.PathEscape(id), fields, key, &changed)
	return subscription(at, changed), err
}

// UpdateSubscription moves a subscription to another price, quantity or coupon.
func (s *Stripe) UpdateSubscription(ctx context.Context, change ports.SubscriptionChange, key string) ([]billing.Fact, error) {
	id := change.Subscription.Remote.ID
	held, err := s.subscription(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(held.Items.Data) != 1 {
		return nil, billing.ErrRefused
	}
	fields := url.Values{
		"items[0][id]": {held.Items.Data[0].ID}, "items[0][price]": {change.PriceID}, "proration_behavior": {proration(change.Proration)},
	}
	if change.Price.Model != billing.Metered {
		fields.Set("items[0][quantity]", number(change.Quantity))
	}
	if change.CouponID != "" {
		fields.Set("discounts[0][coupon]", change.CouponID)
	}
	fact, err := s.update(ctx, id, fields, key)
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

// Refund lets money go back. One that a call made whose key has expired is found by our
// identifier.
func (s *Stripe) Refund(ctx context.Context, of billing.RefundSnapshot, key string) (billing.Fact, error) {
	by := view{at: s.options.Clock.Now(), checkout: of.CheckoutID}
	for found, err := range list[back](ctx, s, "refunds", url.Values{"payment_intent": {of.Payment}}) {
		if err != nil {
			return billing.Fact{}, err
		}
		if found.Metadata[refundKey] == of.ID.String() {
			return by.refund(found, of.Payment), nil
		}
	}
	minor, err := payment.Cents(of.Amount)
	if err != nil {
		return billing.Fact{}, err
	}
	var made back
	err = s.post(ctx, "refunds", url.Values{
		"payment_intent": {of.Payment}, "amount": {number(minor)}, "metadata[" + refundKey + "]": {of.ID.String()},
		"metadata[" + checkoutKey + "]": {of.CheckoutID.String()},
	}, key, &made)
	return by.refund(made, of.Payment), err
}
