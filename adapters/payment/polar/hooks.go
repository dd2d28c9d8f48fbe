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

// event has the fields of an event that identify its object.
type event struct {
	Type string  `json:"type"`
	Data subject `json:"data"`
}

// subject is the object of an event, with the identifiers of related objects that some kinds have.
type subject struct {
	namedObject

	Status         string `json:"status"`
	CheckoutID     string `json:"checkout_id"`
	SubscriptionID string `json:"subscription_id"`
	OrderID        string `json:"order_id"`
}

// The kinds of objects by which a sale is found.
const (
	kindCheckout     = "checkout"
	kindSubscription = "subscription"
	kindOrder        = "order"
)

// Read verifies a webhook, and returns the object of its event, which Look fetches. The key of the signature are the
// bytes of the secret, and not its base64 decoding (https://polar.sh/docs/integrate/webhooks/delivery). Each mode has
// its own secret. It fails with billing.ErrSignature.
func (p *Polar) Read(_ context.Context, header http.Header, body []byte, now time.Time) ([]billing.ProcessorEvent, error) {
	id, err := payment.CheckStandard(p.options.WebhookSecret, header, body, now)
	if err != nil {
		return nil, err
	}
	var received event
	if err := json.Unmarshal(body, &received); err != nil || received.Type == "" {
		return nil, billing.ErrSignature
	}
	return []billing.ProcessorEvent{{EventID: id, Type: received.Type, Facts: received.facts()}}, nil
}

// facts returns the object by which the sale of an event is found; nil for other events, and for those before the
// buyer pays.
func (e event) facts() []billing.Fact {
	of := e.Data
	kind, _, _ := strings.Cut(e.Type, ".")
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
	return []billing.Fact{{ID: of.ID, Named: &billing.ObjectRef{Kind: kind, At: of.Modified, Of: by}}}
}

// Look fetches the sale to which an object belongs. It fails with errStale if the API returns an older state of the
// object than the event.
func (p *Polar) Look(ctx context.Context, id string, object billing.ObjectRef) ([]billing.Fact, error) {
	checkout, subscription := object.Of[kindCheckout], object.Of[kindSubscription]
	if of := object.Of[kindOrder]; of != "" {
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
	return p.fetch(ctx, checkout, &watch{namedObject: namedObject{ID: id, Modified: object.At}})
}

func (p *Polar) subscription(ctx context.Context, id string) (held sub, err error) {
	err = p.get(ctx, "subscriptions/"+url.PathEscape(id), nil, &held)
	return held, err
}
