package paddle

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
)

// Signed returns the format of the signatures of Paddle
// (https://developer.paddle.com/webhooks/about/signature-verification).
func Signed() payment.SignatureFormat {
	return payment.SignatureFormat{Separator: ";", Time: "ts", Mark: "h1", Joint: ":"}
}

// SignatureHeader is the header with the signature.
const SignatureHeader = "Paddle-Signature"

// event has the fields of an event that identify its object.
type event struct {
	ID   string  `json:"event_id"`
	Type string  `json:"event_type"`
	Data subject `json:"data"`
}

// subject is the object of an event, with the identifiers of related objects.
type subject struct {
	ID           string `json:"id"`
	Transaction  string `json:"transaction_id"`
	Subscription string `json:"subscription_id"`
}

// The kinds of objects by which a sale is found.
const (
	kindTransaction  = "transaction"
	kindSubscription = "subscription"
)

// Read verifies a webhook, and returns the object of its event, which Look fetches. Events do not show their mode:
// each mode has its own secret. It fails with billing.ErrSignature.
func (p *Paddle) Read(_ context.Context, header http.Header, body []byte, now time.Time) ([]billing.ProcessorEvent, error) {
	if err := Signed().Check(p.options.WebhookSecret, header.Get(SignatureHeader), body, now); err != nil {
		return nil, err
	}
	var received event
	if err := json.Unmarshal(body, &received); err != nil || received.ID == "" {
		return nil, billing.ErrSignature
	}
	return []billing.ProcessorEvent{{EventID: received.ID, Type: received.Type, Facts: received.facts()}}, nil
}

// facts returns the object by which the sale of an event is found; nil for other events, and for those before the
// buyer pays.
func (e event) facts() []billing.Fact {
	kind, what, _ := strings.Cut(e.Type, ".")
	found, id := kindTransaction, e.Data.ID
	switch {
	case kind == kindSubscription:
		found = kindSubscription
	case kind != kindTransaction && kind != "adjustment", what == "ready", kind == kindTransaction && (what == "created" || what == "updated"):
		return nil
	case e.Data.Subscription != "":
		found, id = kindSubscription, e.Data.Subscription
	case kind == "adjustment":
		id = e.Data.Transaction
	}
	return []billing.Fact{{ID: id, Named: &billing.ObjectRef{Kind: found}}}
}

// Look fetches the sale to which an object belongs.
func (p *Paddle) Look(ctx context.Context, id string, object billing.ObjectRef) ([]billing.Fact, error) {
	if object.Kind == kindSubscription {
		return p.bySubscription(ctx, id)
	}
	return p.Fetch(ctx, id)
}
