package paddle

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"time"

	api "github.com/PaddleHQ/paddle-go-sdk/v4"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// CancelSubscription cancels a subscription, now or at the end of its period. It succeeds if an earlier call, whose
// response was lost, did so.
func (p *Paddle) CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, _ string) (billing.Fact, error) {
	from := api.EffectiveFromImmediately
	if atPeriodEnd {
		from = api.EffectiveFromNextBillingPeriod
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
	case held.Status == api.SubscriptionStatusCanceled || (atPeriodEnd && ending(held)):
		return subscriptionFact(at, held), nil
	case atPeriodEnd || held.ScheduledChange == nil:
		return billing.Fact{}, err
	}
	// A scheduled change locks the subscription.
	if _, err := p.update(ctx, withoutSchedule(id)); err != nil {
		return billing.Fact{}, err
	}
	return p.cancel(ctx, id, from)
}

func (p *Paddle) cancel(ctx context.Context, id string, from api.EffectiveFrom) (billing.Fact, error) {
	at := p.options.Clock.Now()
	held, err := present(p.api.CancelSubscription(ctx, &api.CancelSubscriptionRequest{SubscriptionID: url.PathEscape(id), EffectiveFrom: &from}))
	if err != nil {
		return billing.Fact{}, err
	}
	return subscriptionFact(at, held), nil
}

// withoutSchedule returns the request that removes the scheduled change of a subscription.
func withoutSchedule(id string) *api.UpdateSubscriptionRequest {
	return &api.UpdateSubscriptionRequest{SubscriptionID: url.PathEscape(id), ScheduledChange: api.NewNullPatchField[*api.SubscriptionScheduledChange]()}
}

// subscriptionFact returns the fact of a subscription whose custom data has the checkout.
func subscriptionFact(at time.Time, held *api.Subscription) billing.Fact {
	return view{at, billing.CheckoutID(mark(held.CustomData, checkoutKey))}.subscription(held)
}

// ResumeSubscription undoes a cancellation.
func (p *Paddle) ResumeSubscription(ctx context.Context, id, _ string) (billing.Fact, error) {
	return p.update(ctx, withoutSchedule(id))
}

func (p *Paddle) update(ctx context.Context, by *api.UpdateSubscriptionRequest) (billing.Fact, error) {
	at := p.options.Clock.Now()
	held, err := present(p.api.UpdateSubscription(ctx, by))
	if err != nil {
		return billing.Fact{}, err
	}
	return subscriptionFact(at, held), nil
}

// UpdateSubscription changes the price, quantity or coupon of a subscription.
func (p *Paddle) UpdateSubscription(ctx context.Context, change commerce.SubscriptionChange, _ string) ([]billing.Fact, error) {
	id := change.Subscription.Remote.ID
	held, err := p.subscription(ctx, id)
	if err != nil {
		return nil, err
	}
	if len(held.Items) != 1 {
		return nil, billing.ErrRefused
	}
	price := change.PriceID
	if known(held.Items[0].Price) == price {
		// This may be the price with the trial.
		price = held.Items[0].Price.ID
	}
	item := api.NewUpdateSubscriptionItemsSubscriptionUpdateItemFromCatalog(&api.SubscriptionUpdateItemFromCatalog{PriceID: price, Quantity: int(change.Quantity)})
	body := &api.UpdateSubscriptionRequest{
		SubscriptionID: url.PathEscape(id), Items: api.NewPatchField([]api.UpdateSubscriptionItems{*item}),
		ProrationBillingMode: api.NewPatchField(proration(change.Proration, held)),
	}
	if change.CouponID != "" {
		fitted, err := p.discountFor(ctx, change.CouponID, change.Discount, change.Price)
		if err != nil {
			return nil, err
		}
		body.Discount = api.NewPtrPatchField(api.SubscriptionDiscountEffectiveFrom{ID: fitted, EffectiveFrom: api.EffectiveFromImmediately})
	}
	fact, err := p.update(ctx, body)
	return []billing.Fact{fact}, err
}

// proration returns when a change is charged. In a trial it is not.
func proration(p billing.Proration, of *api.Subscription) api.ProrationBillingMode {
	switch {
	case of.Status == api.SubscriptionStatusTrialing, p == billing.ProrateNone:
		return api.ProrationBillingModeDoNotBill
	case p == billing.ProrateNow:
		return api.ProrationBillingModeProratedImmediately
	}
	return api.ProrationBillingModeProratedNextBillingPeriod
}

// Refund refunds an amount of a payment. A refund that an earlier call created is found by our identifier in its
// reason. Paddle has to approve refunds, one of a payment at a time: for others it fails with billing.ErrWaiting.
func (p *Paddle) Refund(ctx context.Context, of billing.RefundSnapshot, _ string) (billing.Fact, error) {
	by := view{p.options.Clock.Now(), of.CheckoutID}
	paid, err := p.transaction(ctx, of.Payment)
	if err != nil {
		return billing.Fact{}, err
	}
	waiting := false
	for _, one := range paid.Adjustments {
		if refundOf(one) == of.ID {
			return by.refund(one), nil
		}
		waiting = waiting || one.Status == api.AdjustmentStatusPendingApproval
	}
	if waiting {
		return billing.Fact{}, billing.ErrWaiting
	}
	items, err := refundItems(paid, of.Amount.Minor)
	if err != nil {
		return billing.Fact{}, err
	}
	reason := of.ID.String()
	if of.Reason != "" {
		reason += ": " + of.Reason
	}
	made, err := present(p.api.CreateAdjustment(ctx, &api.CreateAdjustmentRequest{
		Action: api.AdjustmentActionRefund, Type: new(api.AdjustmentTypePartial), TransactionID: of.Payment, Reason: reason, Items: items,
		TaxMode: new(api.AdjustmentTaxModeInternal),
	}))
	if refusedFor(err, codePending, codeUnsettled) {
		return billing.Fact{}, billing.ErrWaiting
	}
	if err != nil {
		return billing.Fact{}, err
	}
	return by.refund(*made), nil
}

// refundItems distributes an amount, including tax, among the lines of a transaction, each up to what has not been
// refunded of it. It fails with billing.ErrRefused if that is not enough.
func refundItems(of *api.Transaction, amount int64) (items []api.AdjustmentItemCreate, err error) {
	taking := []api.AdjustmentAction{api.AdjustmentActionRefund, api.AdjustmentActionCredit, api.AdjustmentActionChargeback}
	refunded := map[string]int64{}
	for _, one := range of.Adjustments {
		if void(one) || !slices.Contains(taking, one.Action) {
			continue
		}
		for _, item := range one.Items {
			refunded[item.ItemID] += number(item.Totals.Total)
		}
	}
	for _, one := range of.Details.LineItems {
		total := number(one.Totals.Total)
		share := min(amount, total-refunded[one.ID])
		if share <= 0 {
			continue
		}
		amount -= share
		if share == total {
			items = append(items, api.AdjustmentItemCreate{ItemID: one.ID, Type: api.AdjustmentItemCreateTypeFull})
			continue
		}
		items = append(items, api.AdjustmentItemCreate{ItemID: one.ID, Type: api.AdjustmentItemCreateTypePartial, Amount: new(text(share))})
	}
	if amount > 0 {
		return nil, billing.ErrRefused
	}
	return items, nil
}
