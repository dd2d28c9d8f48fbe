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

// event has the fields of an event that identify its object
// (https://developer.paypal.com/api/rest/webhooks/event-names/).
type event struct {
	ID       string  `json:"id"`
	Type     string  `json:"event_type"`
	Resource subject `json:"resource"`
}

// subject is the object of an event, with the identifiers of related objects that some kinds have.
type subject struct {
	linkedObject

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

// The kinds of objects by which a sale is found.
const (
	// kindSale is an order or a subscription, kindCharge and kindSubscribed are charges, probably of
	// an order and of a subscription, and kindRefund is a refund of a charge of a subscription.
	kindSale       = "sale"
	kindCharge     = "charge"
	kindSubscribed = "subscribed"
	kindRefund     = "refund"
)

// Read verifies a webhook, and returns the object of its event, which Look fetches. Each mode has its own webhook
// identifier, which is part of the signed text. It fails with billing.ErrSignature.
func (p *PayPal) Read(ctx context.Context, header http.Header, body []byte, now time.Time) ([]billing.ProcessorEvent, error) {
	if err := p.check(ctx, header, body, now); err != nil {
		return nil, err
	}
	var received event
	if err := json.Unmarshal(body, &received); err != nil || received.ID == "" {
		return nil, billing.ErrSignature
	}
	return []billing.ProcessorEvent{{EventID: received.ID, Type: received.Type, Facts: received.facts()}}, nil
}

// facts returns the object by which the sale of an event is found; nil for other events.
func (e event) facts() []billing.Fact {
	of, kind, id := e.Resource, kindSale, ""
	switch about, _, _ := strings.Cut(e.Type, "."); {
	case about == "CHECKOUT" && of.Order != "":
		id = of.Order
	case about == "CHECKOUT", strings.HasPrefix(e.Type, "BILLING.SUBSCRIPTION."):
		id = of.ID
	case about == "PAYMENT" && of.Subscription != "":
		id = of.Subscription
	case about == "PAYMENT" && of.Supplementary.IDs.Order != "":
		id = of.Supplementary.IDs.Order
	case about == "PAYMENT" && of.Sale != "":
		// Refunds of a subscription cannot be listed.
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
	return []billing.Fact{{ID: id, Named: &billing.ObjectRef{Kind: kind}}}
}

// Look fetches the sale to which an object belongs; nothing if PayPal does not find the object.
func (p *PayPal) Look(ctx context.Context, id string, object billing.ObjectRef) (facts []billing.Fact, err error) {
	id, refund, _ := strings.Cut(id, "/")
	if object.Kind != kindSale {
		id, err = p.source(ctx, id, object.Kind != kindCharge)
	}
	if err != nil || id == "" {
		return nil, err
	}
	found, err := p.sale(ctx, id)
	if missing(err) {
		return nil, nil
	}
	if err == nil && object.Kind == kindRefund && found.checkout != "" {
		err = p.addRefund(ctx, &found, refund)
	}
	if err != nil {
		return nil, err
	}
	return p.all(ctx, found)
}

// addRefund fetches a refund, and adds it to a sale.
func (p *PayPal) addRefund(ctx context.Context, to *sale, id string) error {
	var one refund
	err := p.get(ctx, "v2/payments/refunds/"+url.PathEscape(id), nil, &one)
	if missing(err) {
		return nil
	}
	to.backs = append(to.backs, one)
	return err
}

// source returns the order or subscription of a charge; "" for none. It tries the more likely kind first.
func (p *PayPal) source(ctx context.Context, charge string, subscribed bool) (string, error) {
	paths := []string{"v2/payments/captures/", "v1/payments/sale/"}
	if subscribed {
		slices.Reverse(paths)
	}
	for _, path := range paths {
		var found struct {
			Subscription  string  `json:"billing_agreement_id"`
			Supplementary related `json:"supplementary_data"`
		}
		err := p.get(ctx, path+url.PathEscape(charge), nil, &found)
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
