package polar

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// happening is an event, as far as it says what it is about.
type happening struct {
	Type string  `json:"type"`
	Data subject `json:"data"`
}

// subject is the object of an event. What it may name stands in any of them.
type subject struct {
	named

	Status         string `json:"status"`
	CheckoutID     string `json:"checkout_id"`
	SubscriptionID string `json:"subscription_id"`
	OrderID        string `json:"order_id"`
}

// Read returns what an event tells: the sale that it is about, as it is now. It is signed by
// the bytes of the secret, which libraries of Standard Webhooks want to be given in base64
// (https://polar.sh/docs/integrate/webhooks/delivery). Each mode has endpoints, and secrets,
// of its own.
func (p *Polar) Read(ctx context.Context, header http.Header, body []byte, now time.Time) ([]billing.Told, error) {
	id, err := payment.CheckStandard(p.options.WebhookSecret, header, body, now)
	if err != nil {
		return nil, err
	}
	var told happening
	if err := json.Unmarshal(body, &told); err != nil || told.Type == "" {
		return nil, billing.ErrSignature
	}
	facts, err := p.about(ctx, told)
	if err != nil {
		return nil, err
	}
	return []billing.Told{{EventID: id, Type: told.Type, Facts: facts}}, nil
}

// about returns the sale that an event is about; nothing for events about anything else, and
// while somebody fills in a page.
func (p *Polar) about(ctx context.Context, told happening) ([]billing.Fact, error) {
	of := told.Data
	kind, _, _ := strings.Cut(told.Type, ".")
	switch kind {
	case "checkout":
		if of.Status == "open" || of.Status == "confirmed" {
			return nil, nil
		}
		of.CheckoutID = of.ID
	case "subscription", "order":
	case "refund":
		var paid order
		if err := p.get(ctx, "orders/"+url.PathEscape(of.OrderID), nil, &paid); err != nil {
			return nil, err
		}
		of.CheckoutID, of.SubscriptionID = paid.CheckoutID, paid.SubscriptionID
	default:
		return nil, nil
	}
	if of.CheckoutID == "" && of.SubscriptionID != "" {
		held, err := p.subscription(ctx, of.SubscriptionID)
		if err != nil {
			return nil, err
		}
		of.CheckoutID = held.CheckoutID
	}
	if of.CheckoutID == "" {
		return nil, nil
	}
	return p.fetch(ctx, of.CheckoutID, &watch{named: of.named})
}

func (p *Polar) subscription(ctx context.Context, id string) (held sub, err error) {
	err = p.get(ctx, "subscriptions/"+url.PathEscape(id), nil, &held)
	return held, err
}
