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

// Signed is how Paddle signs (https://developer.paddle.com/webhooks/about/signature-verification).
func Signed() payment.Signed {
	return payment.Signed{Separator: ";", Time: "ts", Mark: "h1", Joint: ":"}
}

// SignatureHeader holds the signature.
const SignatureHeader = "Paddle-Signature"

// happening is an event, as far as it says what it is about.
type happening struct {
	ID   string  `json:"event_id"`
	Type string  `json:"event_type"`
	Data subject `json:"data"`
}

// subject is the object of an event, with what of others it names.
type subject struct {
	ID           string `json:"id"`
	Transaction  string `json:"transaction_id"`
	Subscription string `json:"subscription_id"`
}

// The kinds of objects that sales are found by.
const (
	kindTransaction  = "transaction"
	kindSubscription = "subscription"
)

// Read returns what an event is about, whose state Look fetches. The secret alone tells trials
// from real money.
func (p *Paddle) Read(_ context.Context, header http.Header, body []byte, now time.Time) ([]billing.Told, error) {
	if err := Signed().Check(p.options.WebhookSecret, header.Get(SignatureHeader), body, now); err != nil {
		return nil, err
	}
	var told happening
	if err := json.Unmarshal(body, &told); err != nil || told.ID == "" {
		return nil, billing.ErrSignature
	}
	return []billing.Told{{EventID: told.ID, Type: told.Type, Facts: told.facts()}}, nil
}

// facts name what the sale of an event is found by; nothing for events about anything else, and
// for those of a page on which somebody is about to pay.
func (told happening) facts() []billing.Fact {
	kind, what, _ := strings.Cut(told.Type, ".")
	found, id := kindTransaction, told.Data.ID
	switch {
	case kind == kindSubscription:
		found = kindSubscription
	case kind != kindTransaction && kind != "adjustment", what == "ready", kind == kindTransaction && (what == "created" || what == "updated"):
		return nil
	case told.Data.Subscription != "":
		found, id = kindSubscription, told.Data.Subscription
	case kind == "adjustment":
		id = told.Data.Transaction
	}
	return []billing.Fact{{ID: id, Named: &billing.Named{Kind: found}}}
}

// Look returns the sale that an object belongs to, as it is now.
func (p *Paddle) Look(ctx context.Context, id string, told billing.Named) ([]billing.Fact, error) {
	if told.Kind == kindSubscription {
		return p.bySubscription(ctx, id)
	}
	return p.Fetch(ctx, id)
}
