package paddle

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// CancelSubscription ends a subscription, now or with its period. One that has ended already,
// by a call that was not answered, is what was asked for.
func (p *Paddle) CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, _ string) (billing.Fact, error) {
	from := "immediately"
	if atPeriodEnd {
		from = "next_billing_period"
	}
	fact, err := p.cancel(ctx, id, from)
	if err == nil || !errors.Is(err, billing.ErrRefused) {
		return fact, err
	}
	at := p.options.Clock.Now()
	held, lost := p.subscription(ctx, id)
	switch {
	case lost != nil:
		return billing.Fact{}, err
	case held.Status == "canceled" || (atPeriodEnd && held.ending()):
		return seen(at, held), nil
	case atPeriodEnd || held.Scheduled == nil:
		return billing.Fact{}, err
	}
	// What is scheduled locks it.
	if _, err := p.update(ctx, id, object{"scheduled_change": nil}); err != nil {
		return billing.Fact{}, err
	}
	return p.cancel(ctx, id, from)
}

func (p *Paddle) cancel(ctx context.Context, id, from string) (billing.Fact, error) {
	at := p.options.Clock.Now()
	var held subscription
	err := p.post(ctx, "subscriptions/"+url.PathEscape(id)+"/cancel", object{"effective_from": from}, &held)
	return seen(at, held), err
}

// seen is a subscription that says whose it is by itself.
func seen(at time.Time, held subscription) billing.Fact {
	return view{at, billing.CheckoutID(held.Custom[checkoutKey])}.subscription(held)
}

// ResumeSubscription undoes a cancellation.
func (p *Paddle) ResumeSubscription(ctx context.Context, id, _ string) (billing.Fact, error) {
	return p.update(ctx, id, object{"scheduled_change": nil})
}

func (p *Paddle) update(ctx context.Context, id string, body object) (billing.Fact, error) {
	at := p.options.Clock.Now()
	var held subscription
	err := p.patch(ctx, "subscriptions/"+url.PathEscape(id), body, &held)
	return seen(at, held), err
}

// UpdateSubscription moves a subscription to another price, quantity or coupon.
func (p *Paddle) UpdateSubscription(ctx context.Context, change ports.SubscriptionChange, _ string) ([]billing.Fact, error) {
	id := change.Subscription.Remote.ID
	held, err := p.subscription(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(held.Items) != 1 {
		return nil, billing.ErrRefused
	}
	price := change.PriceID
	if held.Items[0].Price.known() == price {
		// It may be the one with the trial.
		price = held.Items[0].Price.ID
	}
	body := object{
		"items":                  []object{{"price_id": price, "quantity": change.Quantity}},
		"proration_billing_mode": proration(change.Proration, held),
	}
	if change.CouponID != "" {
		fitted, err := p.fitted(ctx, change.CouponID, change.Discount, change.Price)
		if err != nil {
			return nil, err
		}
		body["discount"] = object{"id": fitted, "effective_from": "immediately"}
	}
	fact, err := p.update(ctx, id, body)
	return []billing.Fact{fact}, err
}

// proration says when a change is charged. In a trial nothing is.
func proration(p billing.Proration, of subscription) string {
	switch {
	case of.Status == "trialing", p == billing.ProrateNone:
		return "do_not_bill"
	case p == billing.ProrateNow:
		return "prorated_immediately"
	}
	return "prorated_next_billing_period"
}

// Refund lets money go back. One that a call made which was not answered is found by our
// identifier in its reason. Paddle approves refunds, one of a payment at a time: others wait.
func (p *Paddle) Refund(ctx context.Context, of billing.RefundSnapshot, _ string) (billing.Fact, error) {
	by := view{p.options.Clock.Now(), of.CheckoutID}
	var paid transaction
	if err := p.get(ctx, "transactions/"+url.PathEscape(of.Payment), adjusted(), &paid); err != nil {
		return billing.Fact{}, err
	}
	waiting := false
	for _, one := range paid.Adjustments {
		if one.refund() == of.ID {
			return by.refund(one), nil
		}
		waiting = waiting || one.Status == "pending_approval"
	}
	if waiting {
		return billing.Fact{}, billing.ErrWaiting
	}
	items, err := shares(paid, of.Amount.Minor)
	if err != nil {
		return billing.Fact{}, err
	}
	reason := of.ID.String()
	if of.Reason != "" {
		reason += ": " + of.Reason
	}
	var made adjustment
	err = p.post(ctx, "adjustments", object{
		"action": "refund", "type": "partial", "transaction_id": of.Payment, "reason": reason, "items": items, "tax_mode": "internal",
	}, &made)
	if refusedFor(err, codePending, codeUnsettled) {
		return billing.Fact{}, billing.ErrWaiting
	}
	return by.refund(made), err
}

// shares parts an amount, tax included, among the lines of a transaction, each to what is left
// of it. It fails with billing.ErrRefused for more than is left of all.
func shares(of transaction, amount int64) (items []object, err error) {
	gone := map[string]int64{}
	for _, one := range of.Adjustments {
		if one.void() || !slices.Contains([]string{"refund", "credit", "chargeback"}, one.Action) {
			continue
		}
		for _, item := range one.Items {
			gone[item.Line] += item.Totals.Total
		}
	}
	for _, one := range of.Details.Lines {
		share := min(amount, one.Totals.Total-gone[one.ID])
		if share <= 0 {
			continue
		}
		amount -= share
		if share == one.Totals.Total {
			items = append(items, object{"item_id": one.ID, "type": "full"})
			continue
		}
		items = append(items, object{"item_id": one.ID, "type": "partial", "amount": text(share)})
	}
	if amount > 0 {
		return nil, billing.ErrRefused
	}
	return items, nil
}
