package paypal

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/billing"
)

// happening is an event, as far as it says what it is about
// (https://developer.paypal.com/api/rest/webhooks/event-names/).
type happening struct {
	ID       string  `json:"id"`
	Type     string  `json:"event_type"`
	Resource subject `json:"resource"`
}

// subject is the object of an event. What it belongs to stands in any of these.
type subject struct {
	linked

	ID            string  `json:"id"`
	Order         string  `json:"order_id"`
	Subscription  string  `json:"billing_agreement_id"`
	Sale          string  `json:"sale_id"`
	Custom        string  `json:"custom"`
	Supplementary related `json:"supplementary_data"`
	Disputed      []struct {
		ID     string `json:"seller_transaction_id"`
		Custom string `json:"custom"`
	} `json:"disputed_transactions"`
}

// The kinds of objects that sales are found by.
const (
	// kindSale is an order or a subscription, kindCharge and kindSubscribed are charges of an
	// order and of a subscription, and kindRefund is a refund of the latter.
	kindSale       = "sale"
	kindCharge     = "charge"
	kindSubscribed = "subscribed"
	kindRefund     = "refund"
)

// Read returns what an event is about, whose state Look fetches. Each mode has a webhook
// identifier of its own, which is signed too.
func (p *PayPal) Read(ctx context.Context, header http.Header, body []byte, now time.Time) ([]billing.Told, error) {
	if err := p.check(ctx, header, body, now); err != nil {
		return nil, err
	}
	var told happening
	if err := json.Unmarshal(body, &told); err != nil || told.ID == "" {
		return nil, billing.ErrSignature
	}
	return []billing.Told{{EventID: told.ID, Type: told.Type, Facts: told.facts()}}, nil
}

// facts name what the sale of an event is found by; nothing for events about anything else.
func (told happening) facts() []billing.Fact {
	of, kind, id := told.Resource, kindSale, ""
	switch about, _, _ := strings.Cut(told.Type, "."); {
	case about == "CHECKOUT" && of.Order != "":
		id = of.Order
	case about == "CHECKOUT", strings.HasPrefix(told.Type, "BILLING.SUBSCRIPTION."):
		id = of.ID
	case about == "PAYMENT" && of.Subscription != "":
		id = of.Subscription
	case about == "PAYMENT" && of.Supplementary.IDs.Order != "":
		id = of.Supplementary.IDs.Order
	case about == "PAYMENT" && of.Sale != "":
		// Refunds of a subscription are told, and not listed.
		kind, id = kindRefund, of.Sale+"/"+of.ID
	case about == "PAYMENT" && of.parent() != "":
		kind, id = kindCharge, of.parent()
	case len(of.Disputed) > 0:
		if kind, id = kindCharge, of.Disputed[0].ID; marked(of.Disputed[0].Custom).interval != "" {
			kind = kindSubscribed
		}
	}
	if id == "" {
		return nil
	}
	return []billing.Fact{{ID: id, Named: &billing.Named{Kind: kind}}}
}

// Look returns the sale that an object belongs to, as it is now; nothing for one that PayPal
// does not know.
func (p *PayPal) Look(ctx context.Context, id string, told billing.Named) (facts []billing.Fact, err error) {
	id, refund, _ := strings.Cut(id, "/")
	if told.Kind != kindSale {
		id, err = p.source(ctx, id, told.Kind != kindCharge)
	}
	if err != nil || id == "" {
		return nil, err
	}
	found, err := p.sale(ctx, id)
	if missing(err) {
		return nil, nil
	}
	if err == nil && told.Kind == kindRefund && found.checkout != "" {
		err = p.refunded(ctx, &found, refund)
	}
	if err != nil {
		return nil, err
	}
	return p.all(ctx, found)
}

// refunded adds a refund to what is known of a sale.
func (p *PayPal) refunded(ctx context.Context, to *sale, id string) error {
	var one back
	err := p.get(ctx, "v2/payments/refunds/"+url.PathEscape(id), nil, &one)
	if missing(err) {
		return nil
	}
	to.backs = append(to.backs, one)
	return err
}

// source returns the order or subscription that a charge is of; "" for none. Which of both is
// likely is tried first.
func (p *PayPal) source(ctx context.Context, charge string, subscribed bool) (string, error) {
	places := []string{"v2/payments/captures/", "v1/payments/sale/"}
	if subscribed {
		slices.Reverse(places)
	}
	for _, place := range places {
		var found struct {
			Subscription  string  `json:"billing_agreement_id"`
			Supplementary related `json:"supplementary_data"`
		}
		err := p.get(ctx, place+url.PathEscape(charge), nil, &found)
		switch {
		case missing(err):
		case err != nil:
			return "", err
		case found.Subscription != "":
			return found.Subscription, nil
		case found.Supplementary.IDs.Order != "":
			return found.Supplementary.IDs.Order, nil
		}
	}
	return "", nil
}
