package sandbox

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/ports/outbound/commerce"
)

// EnsurePrice returns our identifier of a price, which the sandbox uses.
func (*Sandbox) EnsurePrice(_ context.Context, order commerce.PriceOrder, _ string) (string, error) {
	return order.Price.ID.String(), nil
}

// EnsureCoupon returns our identifier of a coupon, which the sandbox uses.
func (*Sandbox) EnsureCoupon(_ context.Context, of billing.CouponSnapshot, _ string) (string, error) {
	return of.ID.String(), nil
}

// Complete fetches the sale: a buyer who agrees on the page of the sandbox has paid.
func (s *Sandbox) Complete(ctx context.Context, order commerce.CheckoutOrder, _ string) ([]billing.Fact, error) {
	return s.Fetch(ctx, order.Checkout.Remote.ID)
}

// UpdateSubscription changes the price, quantity or coupon of a subscription. An increase for the rest of the period is
// charged according to the proration; a decrease is not refunded.
func (s *Sandbox) UpdateSubscription(ctx context.Context, change commerce.SubscriptionChange, key string) (facts []billing.Fact, err error) {
	later, err := change.Price.Upfront(change.Quantity)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", billing.ErrRefused, err)
	}
	_, err = s.once(ctx, change.Subscription.Remote.ID, key, func(of *Sale, now time.Time) (billing.Fact, error) {
		if !of.running() {
			return billing.Fact{}, billing.ErrRefused
		}
		held := of.subscription()
		sub := *held.Subscription
		rest := of.rest(later, sub, now)
		of.PriceID, of.Quantity, of.Interval, of.Later = change.PriceID, change.Quantity, change.Price.Interval, later
		of.Metered, of.Unit = change.Price.Model == billing.Metered, change.Price.Unit
		if change.CouponID != "" {
			of.Discount = change.Discount
		}
		if of.First, err = discounted(later, of.Discount); err != nil {
			return billing.Fact{}, fmt.Errorf("%w: %w", billing.ErrRefused, err)
		}
		sub.PriceID, sub.Quantity = change.PriceID, change.Quantity
		fact := of.put(held.ID, now, billing.Fact{Subscription: &sub})
		switch {
		case rest.Minor == 0 || change.Proration == billing.ProrateNone:
		case change.Proration == billing.ProrateNow:
			of.bill(rest, now, sub.PeriodEnd, now, true)
		default:
			of.Carried += rest.Minor
		}
		return fact, nil
	})
	if err != nil {
		return nil, err
	}
	return s.Fetch(ctx, saleOfObject(change.Subscription.Remote.ID))
}

// rest returns the increase of the price for the rest of a period by another price of the period; 0 in a trial.
func (s *Sale) rest(later money.Amount, sub billing.SubscriptionFact, now time.Time) money.Amount {
	whole, left := int64(sub.PeriodEnd.Sub(sub.PeriodStart)/time.Second), int64(sub.PeriodEnd.Sub(now)/time.Second)
	more := later.Minor - s.Later.Minor
	if sub.Status != billing.Active || whole <= 0 || left <= 0 || more <= 0 {
		return money.Of(0, s.Later.Currency)
	}
	return money.Of(more/whole*left+more%whole*left/whole, s.Later.Currency)
}

func discounted(amount money.Amount, by billing.Discount) (money.Amount, error) {
	if by == (billing.Discount{}) {
		return amount, nil
	}
	off, err := by.Off(amount)
	if err != nil {
		return amount, err
	}
	return amount.Minus(off)
}
