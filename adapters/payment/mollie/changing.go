package mollie

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// CancelSubscription cancels a subscription at Mollie, unless it is canceled there already. The returned fact
// ends at the end of the paid period, or now; Mollie does not distinguish the two.
func (m *Mollie) CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, key string) (billing.Fact, error) {
	held, err := m.bySubscription(ctx, id)
	if err == nil && held.sub.live() {
		customer, of := splitID(id)
		err = m.change(&held, customer, func() (*api.Response, *api.Subscription, error) {
			return m.api.Subscriptions.Cancel(once(ctx, key, http.MethodDelete, of), url.PathEscape(customer), url.PathEscape(of))
		})
	}
	if err != nil {
		return billing.Fact{}, err
	}
	fact := held.subscription()
	if state := fact.Subscription; !atPeriodEnd && state.Status != billing.Ended {
		state.Status, state.EndedAt = billing.Ended, held.at
	}
	return fact, nil
}

// ResumeSubscription creates a subscription like the canceled one, unless there is one already. It charges from
// the end of the paid period on.
func (m *Mollie) ResumeSubscription(ctx context.Context, id, key string) (billing.Fact, error) {
	held, err := m.bySubscription(ctx, id)
	if err == nil && !held.sub.live() {
		of := held.sub
		err = m.createSubscription(ctx, &held, key, api.CreateSubscription{
			Amount: of.Amount, Interval: of.Interval, Description: of.Description, Metadata: of.Metadata, MandateID: of.MandateID,
			StartDate: m.date(held.subscription().Subscription.PeriodEnd),
		})
	}
	if err != nil {
		return billing.Fact{}, err
	}
	return held.subscription(), nil
}

// UpdateSubscription changes the price or quantity of a subscription, from its next charge on. It fails with
// billing.ErrRefused for a canceled one.
func (m *Mollie) UpdateSubscription(ctx context.Context, change commerce.SubscriptionChange, key string) ([]billing.Fact, error) {
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
	customer, id := splitID(held.sub.fullID())
	err = m.change(&held, customer, func() (*api.Response, *api.Subscription, error) {
		body := api.UpdateSubscription{Amount: apiAmount(due), Interval: interval(change.Price.Interval), Metadata: marks}
		return m.api.Subscriptions.Update(once(ctx, key, http.MethodPatch, id), url.PathEscape(customer), url.PathEscape(id), body)
	})
	if err != nil {
		return nil, err
	}
	return []billing.Fact{held.subscription()}, nil
}

// Refund refunds an amount of a payment. A refund that an earlier call created is found by our identifier, also
// after its idempotency key expired. It fails with billing.ErrWaiting if Mollie takes it for a duplicate of
// another one of the same amount.
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
	response, got, err := m.api.Refunds.CreatePaymentRefund(once(ctx, key, http.MethodPost, of.Payment), url.PathEscape(of.Payment), api.CreatePaymentRefund{
		Amount: apiAmount(of.Amount), Description: payment.Truncate(cmp.Or(of.Reason, "Refund"), longest),
		Metadata: object{refundKey: of.ID.String(), checkoutKey: of.CheckoutID.String()},
	}, nil)
	if err != nil {
		return billing.Fact{}, apiError(response, err)
	}
	made, err := readRefund(got)
	return by.refund(made, of.Payment), err
}
