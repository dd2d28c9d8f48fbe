package polar

import (
	"context"
	"errors"
	"math/bits"
	"net/http"
	"net/url"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/ports/outbound/commerce"
)

// CancelSubscription cancels a subscription, now or at the end of its period, unless that was done already.
func (p *Polar) CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, _ string) (billing.Fact, error) {
	done := func(held sub) bool { return status(held) == billing.Ended || (atPeriodEnd && held.AtPeriodEnd) }
	if atPeriodEnd {
		return p.ensure(ctx, id, done, http.MethodPatch, object{"cancel_at_period_end": true})
	}
	return p.ensure(ctx, id, done, http.MethodDelete, nil)
}

// ResumeSubscription undoes a cancellation.
func (p *Polar) ResumeSubscription(ctx context.Context, id, _ string) (billing.Fact, error) {
	return p.ensure(ctx, id, func(held sub) bool { return status(held) != billing.Ended && !held.AtPeriodEnd }, http.MethodPatch, object{"cancel_at_period_end": false})
}

// ensure changes a subscription, unless done reports that it has the state already, perhaps by an earlier call whose
// response was lost.
func (p *Polar) ensure(ctx context.Context, id string, done func(sub) bool, method string, body object) (billing.Fact, error) {
	at := p.options.Clock.Now()
	held, err := p.subscription(ctx, id)
	if err != nil || done(held) {
		return subscription(at, held), err
	}
	return p.change(ctx, id, method, body)
}

func (p *Polar) change(ctx context.Context, id, method string, body object) (billing.Fact, error) {
	at := p.options.Clock.Now()
	var changed sub
	var sent any
	if body != nil {
		sent = body
	}
	err := p.call(ctx, method, "subscriptions/"+url.PathEscape(id), sent, &changed)
	return subscription(at, changed), err
}

// UpdateSubscription changes the price, quantity or coupon of a subscription, by one call for the price and the coupon
// and one for the quantity. A change that was made already, perhaps by an earlier call whose response was lost, is
// not made, and not charged, again.
func (p *Polar) UpdateSubscription(ctx context.Context, change commerce.SubscriptionChange, _ string) ([]billing.Fact, error) {
	id, at := change.Subscription.Remote.ID, p.options.Clock.Now()
	held, err := p.subscription(ctx, id)
	if err != nil {
		return nil, err
	}
	fact := subscription(at, held)
	plan := object{}
	if held.ProductID != change.PriceID {
		plan["product_id"], plan["proration_behavior"] = change.PriceID, proration(change.Proration)
	}
	if change.CouponID != "" && held.DiscountID != change.CouponID {
		plan["discount_id"] = change.CouponID
	}
	if len(plan) > 0 {
		if fact, err = p.change(ctx, id, http.MethodPatch, plan); err != nil {
			return nil, err
		}
	}
	seated := change.Price.Model == billing.PerSeat || change.Price.Model == billing.Tiered
	if seated && fact.Subscription.Quantity != change.Quantity {
		fact, err = p.change(ctx, id, http.MethodPatch, object{"seats": change.Quantity, "proration_behavior": proration(change.Proration)})
	}
	return []billing.Fact{fact}, err
}

// proration returns when a difference is charged.
func proration(p billing.Proration) string {
	if p == billing.ProrateNow {
		return "invoice"
	}
	return "prorate"
}

// Refund refunds an amount of a payment. A refund that an earlier call created is found by our identifier. Polar takes
// amounts without tax: an amount that is not a price with its tax is rounded down by a minor unit.
func (p *Polar) Refund(ctx context.Context, of billing.RefundSnapshot, _ string) (billing.Fact, error) {
	by := view{at: p.options.Clock.Now(), checkout: of.CheckoutID}
	var paid attempt
	if err := p.get(ctx, "payments/"+url.PathEscape(of.Payment), nil, &paid); err != nil {
		return billing.Fact{}, err
	}
	for found, err := range list[refund](ctx, p, "refunds/", url.Values{"order_id": {paid.OrderID}}) {
		if err != nil {
			return billing.Fact{}, err
		}
		if found.Metadata.text(refundKey) == of.ID.String() {
			return by.refund(found, of.Payment), nil
		}
	}
	var bill order
	if err := p.get(ctx, "orders/"+url.PathEscape(paid.OrderID), nil, &bill); err != nil {
		return billing.Fact{}, err
	}
	net, err := bill.untaxed(of.Amount)
	if err != nil {
		return billing.Fact{}, err
	}
	var made refund
	err = p.call(ctx, http.MethodPost, "refunds/", object{
		"order_id": bill.ID, "reason": "other", "amount": net, "metadata": object{refundKey: of.ID.String(), checkoutKey: of.CheckoutID.String()},
	}, &made)
	return by.refund(made, of.Payment), err
}

// untaxed returns the part of a refund of an order that is not tax: Polar adds the rounded tax. It fails with
// billing.ErrRefused if the part is 0.
func (o order) untaxed(back money.Amount) (int64, error) {
	cents, err := payment.Cents(back)
	if err != nil {
		return 0, err
	}
	switch {
	case cents == o.Refundable+o.RefundableTax:
		return o.Refundable, nil
	case o.Tax <= 0 || o.Net <= 0:
		return cents, nil
	}
	net := share(cents, o.Net, o.Net+o.Tax) + 1
	for net > 0 && (net >= o.Refundable || net+min(share(net, o.Tax, o.Net), o.RefundableTax) > cents) {
		net--
	}
	if net <= 0 {
		return 0, errors.Join(billing.ErrRefused, errTiny)
	}
	return net, nil
}

// errTiny says that an amount is too small to have a part that is not tax.
var errTiny = errors.New("the amount is too small for a refund by Polar")

// share returns of*part/whole, rounded. No argument is negative, and part is at most whole.
func share(of, part, whole int64) int64 {
	const half = 2
	high, low := bits.Mul64(uint64(of), uint64(part))
	low, carry := bits.Add64(low, uint64(whole/half), 0)
	shared, _ := bits.Div64(high+carry, low, uint64(whole))
	return int64(shared)
}
