package paypal

import (
	"context"
	"net/url"

	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// leaving is the note of a subscription that is suspended by us until its period is over.
const leaving = "Canceled: it ends with the period that is paid"

// CancelSubscription suspends a subscription that is to end with its period, and cancels one
// that is to end now, unless that was done. What was paid is used up, or else is over now too,
// of which PayPal knows nothing.
func (p *PayPal) CancelSubscription(ctx context.Context, id string, atPeriodEnd bool, _ string) (billing.Fact, error) {
	found, err := p.sale(ctx, id)
	if err != nil {
		return billing.Fact{}, err
	}
	status := found.sub.Status
	switch live := status == "ACTIVE" || status == "SUSPENDED"; {
	case live && !atPeriodEnd, status == "SUSPENDED" && !found.leaving():
		err = p.do(ctx, act{path: subscriptions(id, "cancel"), body: object{"reason": "Canceled"}}, nil)
	case status == "ACTIVE":
		err = p.do(ctx, act{path: subscriptions(id, "suspend"), body: object{"reason": leaving}}, nil)
	default:
		return ending(found, atPeriodEnd), nil
	}
	if err == nil {
		found, err = p.sale(ctx, id)
	}
	return ending(found, atPeriodEnd), err
}

// ending returns a subscription that is canceled.
func ending(of sale, atPeriodEnd bool) billing.Fact {
	fact := of.subscription()
	if told := fact.Subscription; !atPeriodEnd && told.Status != billing.Ended {
		told.Status, told.EndedAt = billing.Ended, of.at
	}
	return fact
}

// ResumeSubscription activates a subscription that ends with its period, unless that was done.
// One that was canceled at PayPal is over.
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
	if err := p.do(ctx, act{path: subscriptions(id, "activate"), body: object{"reason": "Resumed"}}, nil); err != nil {
		return billing.Fact{}, err
	}
	found, err = p.sale(ctx, id)
	return found.subscription(), err
}

// UpdateSubscription is nothing that PayPal can do without another consent of the buyer's.
func (*PayPal) UpdateSubscription(context.Context, ports.SubscriptionChange, string) ([]billing.Fact, error) {
	return nil, billing.Unable(Name, billing.CanChange)
}

// kept is for how long PayPal surely knows a refund by its key: it says 45 days
// (https://developer.paypal.com/docs/api/payments/v2/).
const kept = 44 * day

// Refund lets money go back. One of an order that was made by a call whose key has expired is
// found by our identifier. Refunds of a subscription are not listed: one that may have been
// made is asked for no more, once its key has expired.
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
	} else if by.at.Sub(of.CreatedAt) > kept {
		return billing.Fact{}, billing.ErrWaiting
	}
	due, err := written(of.Amount)
	if err != nil {
		return billing.Fact{}, err
	}
	body := object{"amount": due, "custom_id": of.ID.String()}
	if of.Reason != "" {
		body["note_to_payer"] = short(of.Reason)
	}
	var made back
	err = p.do(ctx, act{at + "/refund", key, body}, &made)
	return by.refund(made, of.Payment), err
}
