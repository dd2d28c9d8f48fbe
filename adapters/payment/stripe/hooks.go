package stripe

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

// Signed is how Stripe signs (https://docs.stripe.com/webhooks#verify-manually).
func Signed() payment.Signed {
	return payment.Signed{Separator: ",", Time: "t", Mark: "v1", Joint: "."}
}

// SignatureHeader holds the signature.
const SignatureHeader = "Stripe-Signature"

// happening is an event, as far as it says what it is about.
type happening struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Livemode bool   `json:"livemode"`
	Data     struct {
		Object subject `json:"object"`
	} `json:"data"`
}

// subject is the object of an event. What it may name stands in any of them as an identifier.
type subject struct {
	ID            string `json:"id"`
	Object        string `json:"object"`
	PaymentIntent string `json:"payment_intent"`
	Invoice       string `json:"invoice"`
	Parent        struct {
		Subscription struct {
			ID string `json:"subscription"`
		} `json:"subscription_details"`
	} `json:"parent"`
}

// Read returns what an event tells: the sale that it is about, as it is now.
func (s *Stripe) Read(ctx context.Context, header http.Header, body []byte, now time.Time) ([]billing.Told, error) {
	if err := Signed().Check(s.options.WebhookSecret, header.Get(SignatureHeader), body, now); err != nil {
		return nil, err
	}
	var told happening
	if err := json.Unmarshal(body, &told); err != nil || told.ID == "" || told.Livemode != (s.options.Mode == billing.Live) {
		return nil, billing.ErrSignature
	}
	facts, err := s.about(ctx, told)
	if err != nil {
		return nil, err
	}
	return []billing.Told{{EventID: told.ID, Type: told.Type, Facts: facts}}, nil
}

// about returns the sale that an event is about; nothing for events about anything else.
func (s *Stripe) about(ctx context.Context, told happening) ([]billing.Fact, error) {
	of := told.Data.Object
	switch of.Object {
	case "checkout.session":
		return s.Fetch(ctx, of.ID)
	case "subscription":
		return s.bySubscription(ctx, of.ID)
	case "invoice":
		return s.bySubscription(ctx, of.Parent.Subscription.ID)
	case "payment_intent":
		return s.byPayment(ctx, of.ID)
	case "charge", "refund", "dispute":
		return s.byPayment(ctx, of.PaymentIntent)
	}
	return nil, nil
}

// bySubscription fetches the sale of a subscription; "" is one without.
func (s *Stripe) bySubscription(ctx context.Context, id string) ([]billing.Fact, error) {
	if id == "" {
		return nil, nil
	}
	return s.found(ctx, url.Values{"subscription": {id}})
}

// byPayment fetches the sale of a payment: of a single one, or for an invoice of a
// subscription.
func (s *Stripe) byPayment(ctx context.Context, id string) ([]billing.Fact, error) {
	if !strings.HasPrefix(id, "pi_") {
		return nil, nil
	}
	facts, err := s.found(ctx, url.Values{"payment_intent": {id}})
	if err != nil || len(facts) > 0 {
		return facts, err
	}
	fields := expanding(url.Values{"payment[type]": {"payment_intent"}, "payment[payment_intent]": {id}}, "data.invoice")
	paid, err := first[link](ctx, s, "invoice_payments", fields)
	if err != nil || paid.Invoice.Object == nil {
		return nil, err
	}
	return s.bySubscription(ctx, paid.Invoice.Object.Parent.Subscription.ID.ID)
}

// found fetches the sale that the first session of a list is.
func (s *Stripe) found(ctx context.Context, fields url.Values) ([]billing.Fact, error) {
	one, err := first[session](ctx, s, "checkout/sessions", fields)
	if err != nil || one.ID == "" {
		return nil, err
	}
	return s.Fetch(ctx, one.ID)
}
