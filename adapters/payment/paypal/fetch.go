package paypal

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/billing"
)

// isSubscription reports whether an identifier is that of a subscription.
func isSubscription(id string) bool { return strings.HasPrefix(id, "I-") }

// Fetch returns all facts of a sale by its order or subscription; none if it is not ours. It cancels a subscription
// that was suspended until the end of its period once that has passed.
func (p *PayPal) Fetch(ctx context.Context, id string) ([]billing.Fact, error) {
	found, err := p.sale(ctx, id)
	if missing(err) {
		return []billing.Fact{expiredCheckout(id, p.options.Clock.Now())}, nil
	}
	if err != nil {
		return nil, err
	}
	if found.leaving() && !p.options.Clock.Now().Before(found.paidUntil()) {
		if err := p.do(ctx, operation{path: subscriptions(id, "cancel"), body: object{"reason": endsNote}}, nil); err != nil {
			return nil, err
		}
	}
	return p.all(ctx, found)
}

func subscriptions(id, what string) string {
	return strings.TrimSuffix("v1/billing/subscriptions/"+url.PathEscape(id)+"/"+what, "/")
}

func orders(id string) string { return "v2/checkout/orders/" + url.PathEscape(id) }

// sale fetches a sale without its disputes.
func (p *PayPal) sale(ctx context.Context, id string) (sale, error) {
	at := p.options.Clock.Now()
	if !isSubscription(id) {
		var found order
		err := p.get(ctx, orders(id), nil, &found)
		return ofOrder(found, at), err
	}
	var found subscription
	if err := p.get(ctx, subscriptions(id, ""), url.Values{"fields": {"plan"}}, &found); err != nil {
		return sale{}, err
	}
	made, err := p.transactions(ctx, found, at)
	return ofSubscription(found, made, at), err
}

// transactions returns the charges of a subscription; none before it is active.
func (p *PayPal) transactions(ctx context.Context, of subscription, now time.Time) ([]transaction, error) {
	if of.Status == "APPROVAL_PENDING" || of.Status == "APPROVED" {
		return nil, nil
	}
	var got struct {
		Transactions []transaction `json:"transactions"`
	}
	err := p.get(ctx, subscriptions(of.ID, "transactions"), url.Values{
		"start_time": {stamp(of.CreatedAt.Add(-day))}, "end_time": {stamp(now.Add(day))},
	}, &got)
	return got.Transactions, err
}

func stamp(at time.Time) string { return at.UTC().Format(time.RFC3339) }

// finalAfter is how long a charge may be disputed or refunded. Facts of older ones do not change.
const finalAfter = 365 * day

// all returns the facts of a sale; none if it is not ours.
func (p *PayPal) all(ctx context.Context, of sale) ([]billing.Fact, error) {
	if of.checkout == "" {
		return nil, nil
	}
	facts := []billing.Fact{of.checkoutFact()}
	if of.begun() {
		facts = append(facts, of.subscription())
	}
	for _, one := range of.charges {
		if of.at.Sub(one.at) > finalAfter {
			continue
		}
		var against []dispute
		var err error
		if one.paid() {
			against, err = p.disputes(ctx, one.id)
		}
		if err != nil {
			return nil, err
		}
		facts = slices.Concat(facts, of.invoice(one), of.payment(one, disputed(against)))
	}
	for _, one := range of.backs {
		facts = append(facts, of.refund(one, of.source(one)))
	}
	return facts, nil
}

// source returns the charge of a refund.
func (s sale) source(of refund) string {
	at := of.parent()
	if at == "" && len(s.charges) > 0 {
		at = s.charges[len(s.charges)-1].id
	}
	return at
}

// disputes returns the disputes of a charge, with the outcomes of resolved ones.
func (p *PayPal) disputes(ctx context.Context, charge string) ([]dispute, error) {
	var got struct {
		Items []dispute `json:"items"`
	}
	err := p.get(ctx, "v1/customer/disputes", url.Values{"disputed_transaction_id": {charge}}, &got)
	if err != nil {
		return nil, err
	}
	for i, one := range got.Items {
		if one.Status != "RESOLVED" {
			continue
		}
		if err := p.get(ctx, "v1/customer/disputes/"+url.PathEscape(one.ID), nil, &got.Items[i]); err != nil {
			return nil, err
		}
	}
	return got.Items, nil
}
