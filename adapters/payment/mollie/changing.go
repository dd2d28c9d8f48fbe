package mollie

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// CancelSubscription ends a subscription at Mollie, unless it is ended there already. What was
// paid is used up, or else is over now too, of which Mollie knows nothing.
func (m *Mollie) CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, key string) (billing.Fact, error) {
	held, err := m.bySubscription(ctx, id)
	if err == nil && held.sub.live() {
		customer, of := place(id)
		err = m.change(&held, customer, func() (*api.Response, *api.Subscription, error) {
			return m.api.Subscriptions.Cancel(once(ctx, key, http.MethodDelete, of), url.PathEscape(customer), url.PathEscape(of))
		})
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
		err = m.charging(ctx, &held, key, api.CreateSubscription{
			Amount: of.Amount, Interval: of.Interval, Description: of.Description, Metadata: of.Metadata, MandateID: of.MandateID,
			StartDate: m.date(held.subscription().Subscription.PeriodEnd),
		})
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
	for name, value := range held.sub.Marks {
		marks[name] = value
	}
	marks[priceKey], marks[quantityKey], marks[intervalKey] = change.PriceID, text(change.Quantity), string(change.Price.Interval)
	customer, id := place(held.sub.whole())
	err = m.change(&held, customer, func() (*api.Response, *api.Subscription, error) {
		body := api.UpdateSubscription{Amount: written(due), Interval: interval(change.Price.Interval), Metadata: marks}
		return m.api.Subscriptions.Update(once(ctx, key, http.MethodPatch, id), url.PathEscape(customer), url.PathEscape(id), body)
	})
	if err != nil {
		return nil, err
	}
	return []billing.Fact{held.subscription()}, nil
}

// Refund lets money go back. One that was made by a call whose key has expired is found by our
// identifier. Two of one sum in short succession are one to Mollie: the other waits.
func (m *Mollie) Refund(ctx context.Context, of billing.RefundSnapshot, key string) (billing.Fact, error) {
	by := sale{at: m.options.Clock.Now(), checkout: of.CheckoutID}
	for found, err := range m.refunds(ctx, of.Payment) {
		if err != nil {
			return billing.Fact{}, err
		}
		if found.Marks[refundKey] == of.ID.String() {
			return by.refund(found, of.Payment), nil
		}
	}
	answer, got, err := m.api.Refunds.CreatePaymentRefund(once(ctx, key, http.MethodPost, of.Payment), url.PathEscape(of.Payment), api.CreatePaymentRefund{
		Amount: written(of.Amount), Description: short(cmp.Or(of.Reason, "Refund")),
		Metadata: object{refundKey: of.ID.String(), checkoutKey: of.CheckoutID.String()},
	}, nil)
	if err != nil {
		return billing.Fact{}, answered(answer, err)
	}
	made, err := readBack(got)
	return by.refund(made, of.Payment), err
}
