package paypal

import (
	"context"
	"net/url"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// endsNote is the note of a subscription that we have suspended until the end of its period.
const endsNote = "Canceled: ends with the paid period"

// CancelSubscription suspends a subscription that is to end with its period, and cancels one that is to end now,
// unless that was done already. The returned fact ends at the end of the paid period, or now.
func (p *PayPal) CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, _ string) (billing.Fact, error) {
	found, err := p.sale(ctx, id)
	if err != nil {
		return billing.Fact{}, err
	}
	status := found.sub.Status
	switch live := status == "ACTIVE" || status == "SUSPENDED"; {
	case live && !atPeriodEnd, status == "SUSPENDED" && !found.leaving():
		err = p.do(ctx, operation{path: subscriptions(id, "cancel"), body: object{"reason": "Canceled"}}, nil)
	case status == "ACTIVE":
		err = p.do(ctx, operation{path: subscriptions(id, "suspend"), body: object{"reason": endsNote}}, nil)
	default:
		return ending(found, atPeriodEnd), nil
	}
	if err == nil {
		found, err = p.sale(ctx, id)
	}
	return ending(found, atPeriodEnd), err
}

// ending returns the fact of a canceled subscription.
func ending(of sale, atPeriodEnd bool) billing.Fact {
	fact := of.subscription()
	if state := fact.Subscription; !atPeriodEnd && state.Status != billing.Ended {
		state.Status, state.EndedAt = billing.Ended, of.at
	}
	return fact
}

// ResumeSubscription activates a subscription that ends with its period, unless that was done already. It fails with
// billing.ErrRefused for one that was canceled at PayPal.
func (p *PayPal) ResumeSubscription(ctx context.Context, id, _ string) (billing.Fact, error) {
	found, err := p.sale(ctx, id)
	switch {
	case err != nil:
		return billing.Fact{}, err
	case found.sub.Status == "ACTIVE":
		return found.subscription(), nil
	case found.sub.Status != "SUSPENDED":
		return billing.Fact{}, billing.ErrRefused
	}
	if err := p.do(ctx, operation{path: subscriptions(id, "activate"), body: object{"reason": "Resumed"}}, nil); err != nil {
		return billing.Fact{}, err
	}
	found, err = p.sale(ctx, id)
	return found.subscription(), err
}

// UpdateSubscription fails, because PayPal requires another approval by the buyer.
func (*PayPal) UpdateSubscription(context.Context, commerce.SubscriptionChange, string) ([]billing.Fact, error) {
	return nil, billing.Unable(Name, billing.CanChange)
}

// keyLife is how long PayPal keeps the idempotency key of a refund, a day less than the documented 45 days
// (https://developer.paypal.com/docs/api/payments/v2/).
const keyLife = 44 * day

// Refund refunds an amount of a payment. A refund of an order that an earlier call created is found by our
// identifier. Refunds of a subscription cannot be listed: after keyLife Refund fails with billing.ErrWaiting, because
// the refund may have been created.
func (p *PayPal) Refund(ctx context.Context, of billing.RefundSnapshot, key string) (billing.Fact, error) {
	by, at := sale{at: p.options.Clock.Now(), marks: marks{checkout: of.CheckoutID}}, "v2/payments/captures/"+url.PathEscape(of.Payment)
	var paid capture
	if err := p.get(ctx, at, nil, &paid); err != nil && !missing(err) {
		return billing.Fact{}, err
	}
	if id := paid.Supplementary.IDs.Order; id != "" {
		found, err := p.sale(ctx, id)
		if err != nil {
			return billing.Fact{}, err
		}
		for _, one := range found.backs {
			if one.CustomID == of.ID.String() {
				return by.refund(one, of.Payment), nil
			}
		}
	} else if by.at.Sub(of.CreatedAt) > keyLife {
		return billing.Fact{}, billing.ErrWaiting
	}
	due, err := apiAmount(of.Amount)
	if err != nil {
		return billing.Fact{}, err
	}
	body := object{"amount": due, "custom_id": of.ID.String()}
	if of.Reason != "" {
		body["note_to_payer"] = payment.Truncate(of.Reason, longest)
	}
	var made refund
	err = p.do(ctx, operation{at + "/refund", key, body}, &made)
	return by.refund(made, of.Payment), err
}
