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

// The kinds of objects that sales are found by.
const (
	kindCheckout     = "checkout"
	kindSubscription = "subscription"
	kindOrder        = "order"
)

// Read returns what an event is about, whose state Look fetches. It is signed by the bytes of
// the secret, which libraries of Standard Webhooks want to be given in base64
// (https://polar.sh/docs/integrate/webhooks/delivery). Each mode has endpoints, and secrets,
// of its own.
func (p *Polar) Read(_ context.Context, header http.Header, body []byte, now time.Time) ([]billing.Told, error) {
	id, err := payment.CheckStandard(p.options.WebhookSecret, header, body, now)
	if err != nil {
		return nil, err
	}
	var told happening
	if err := json.Unmarshal(body, &told); err != nil || told.Type == "" {
		return nil, billing.ErrSignature
	}
	return []billing.Told{{EventID: id, Type: told.Type, Facts: told.facts()}}, nil
}

// facts name what the sale of an event is found by; nothing for events about anything else, and
// while somebody fills in a page.
func (told happening) facts() []billing.Fact {
	of := told.Data
	kind, _, _ := strings.Cut(told.Type, ".")
	by := map[string]string{}
	switch kind {
	case kindCheckout:
		if of.Status == "open" || of.Status == "confirmed" {
			return nil
		}
		by[kindCheckout] = of.ID
	case kindSubscription:
		by[kindCheckout], by[kindSubscription] = of.CheckoutID, of.ID
	case kindOrder:
		by[kindCheckout], by[kindSubscription] = of.CheckoutID, of.SubscriptionID
	case "refund":
		by[kindOrder] = of.OrderID
	default:
		return nil
	}
	return []billing.Fact{{ID: of.ID, Named: &billing.Named{Kind: kind, At: of.Modified, Of: by}}}
}

// Look returns the sale that an object belongs to, as it is now, and not before what was told.
// It fails with errStale.
func (p *Polar) Look(ctx context.Context, id string, told billing.Named) ([]billing.Fact, error) {
	checkout, subscription := told.Of[kindCheckout], told.Of[kindSubscription]
	if of := told.Of[kindOrder]; of != "" {
		var paid order
		if err := p.get(ctx, "orders/"+url.PathEscape(of), nil, &paid); err != nil {
			return nil, err
		}
		checkout, subscription = paid.CheckoutID, paid.SubscriptionID
	}
	if checkout == "" && subscription != "" {
		held, err := p.subscription(ctx, subscription)
		if err != nil {
			return nil, err
		}
		checkout = held.CheckoutID
	}
	if checkout == "" {
		return nil, nil
	}
	return p.fetch(ctx, checkout, &watch{named: named{ID: id, Modified: told.At}})
}

func (p *Polar) subscription(ctx context.Context, id string) (held sub, err error) {
	err = p.get(ctx, "subscriptions/"+url.PathEscape(id), nil, &held)
	return held, err
}
