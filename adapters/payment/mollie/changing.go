package mollie

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// CancelSubscription ends a subscription at Mollie, unless it is ended there already. What was
// paid is used up, or else is over now too, of which Mollie knows nothing.
func (m *Mollie) CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, key string) (billing.Fact, error) {
	held, err := m.bySubscription(ctx, id)
	if err == nil && held.sub.live() {
		err = m.change(ctx, &held, act{http.MethodDelete, place(held.sub.whole()), key, object{}})
	}
	if err != nil {
		return billing.Fact{}, err
	}
	fact := held.subscription()
	if told := fact.Subscription; !atPeriodEnd && told.Status != billing.Ended {
		told.Status, told.EndedAt = billing.Ended, held.at
	}
	return fact, nil
}

// ResumeSubscription makes a subscription like the one that was canceled, which charges from
// the end of what was paid on, unless one is there already.
func (m *Mollie) ResumeSubscription(ctx context.Context, id, key string) (billing.Fact, error) {
	held, err := m.bySubscription(ctx, id)
	if err == nil && !held.sub.live() {
		of := held.sub
		body := object{
			"amount": written(of.Amount.Amount), "interval": of.Interval, "description": of.Description, "metadata": of.Metadata,
			"startDate": m.date(held.subscription().Subscription.PeriodEnd),
		}
		if of.MandateID != "" {
			body["mandateId"] = of.MandateID
		}
		err = m.charging(ctx, &held, key, body)
	}
	if err != nil {
		return billing.Fact{}, err
	}
	return held.subscription(), nil
}

// UpdateSubscription moves a subscription to another price or quantity, from its next charge
// on.
func (m *Mollie) UpdateSubscription(ctx context.Context, change ports.SubscriptionChange, key string) ([]billing.Fact, error) {
	due, err := change.Price.Upfront(change.Quantity)
	if err != nil {
		return nil, err
	}
	held, err := m.bySubscription(ctx, change.Subscription.Remote.ID)
	if err != nil {
		return nil, err
	}
	if !held.sub.live() {
		return nil, billing.ErrRefused
	}
	marks := object{}
	for name, value := range held.sub.Metadata {
		marks[name] = value
	}
	marks[priceKey], marks[quantityKey], marks[intervalKey] = change.PriceID, text(change.Quantity), string(change.Price.Interval)
	body := object{"amount": written(due), "interval": interval(change.Price.Interval), "metadata": marks}
	if err := m.change(ctx, &held, act{http.MethodPatch, place(held.sub.whole()), key, body}); err != nil {
		return nil, err
	}
	return []billing.Fact{held.subscription()}, nil
}

// Refund lets money go back. One that was made by a call whose key has expired is found by our
// identifier. Two of one sum in short succession are one to Mollie: the other waits.
func (m *Mollie) Refund(ctx context.Context, of billing.RefundSnapshot, key string) (billing.Fact, error) {
	by, at := sale{at: m.options.Clock.Now(), checkout: of.CheckoutID}, "payments/"+url.PathEscape(of.Payment)+"/refunds"
	for found, err := range list[back](ctx, m, at) {
		if err != nil {
			return billing.Fact{}, err
		}
		if found.Metadata[refundKey] == of.ID.String() {
			return by.refund(found, of.Payment), nil
		}
	}
	var made back
	err := m.do(ctx, act{http.MethodPost, at, key, object{
		"amount": written(of.Amount), "description": short(cmp.Or(of.Reason, "Refund")),
		"metadata": object{refundKey: of.ID.String(), checkoutKey: of.CheckoutID.String()},
	}}, &made)
	return by.refund(made, of.Payment), err
}
