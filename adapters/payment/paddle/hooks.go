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

// Read returns what an event tells: the sale that it is about, as it is now. The secret alone
// tells trials from real money.
func (p *Paddle) Read(ctx context.Context, header http.Header, body []byte, now time.Time) ([]billing.Told, error) {
	if err := Signed().Check(p.options.WebhookSecret, header.Get(SignatureHeader), body, now); err != nil {
		return nil, err
	}
	var told happening
	if err := json.Unmarshal(body, &told); err != nil || told.ID == "" {
		return nil, billing.ErrSignature
	}
	facts, err := p.about(ctx, told)
	if err != nil {
		return nil, err
	}
	return []billing.Told{{EventID: told.ID, Type: told.Type, Facts: facts}}, nil
}

// about returns the sale that an event is about; nothing for events about anything else, and
// for those of a page on which somebody is about to pay.
func (p *Paddle) about(ctx context.Context, told happening) ([]billing.Fact, error) {
	kind, what, _ := strings.Cut(told.Type, ".")
	of := told.Data
	switch {
	case kind == "subscription":
		return p.bySubscription(ctx, of.ID)
	case kind != "transaction" && kind != "adjustment", what == "ready", kind == "transaction" && (what == "created" || what == "updated"):
		return nil, nil
	case of.Subscription != "":
		return p.bySubscription(ctx, of.Subscription)
	case kind == "adjustment":
		return p.Fetch(ctx, of.Transaction)
	}
	return p.Fetch(ctx, of.ID)
}
