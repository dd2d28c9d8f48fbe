package stripe

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/stripe/stripe-go/v85"

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

// Read returns what an event is about, whose state Look fetches.
func (s *Stripe) Read(_ context.Context, header http.Header, body []byte, now time.Time) ([]billing.Told, error) {
	if err := Signed().Check(s.options.WebhookSecret, header.Get(SignatureHeader), body, now); err != nil {
		return nil, err
	}
	var told happening
	if err := json.Unmarshal(body, &told); err != nil || told.ID == "" || told.Livemode != (s.options.Mode == billing.Live) {
		return nil, billing.ErrSignature
	}
	return []billing.Told{{EventID: told.ID, Type: told.Type, Facts: told.Data.Object.facts()}}, nil
}

// The kinds of objects that sales are found by.
const (
	kindSession      = "checkout.session"
	kindSubscription = "subscription"
	kindPayment      = "payment_intent"
)

// facts name what the sale of an event is found by; nothing for events about anything else.
func (of subject) facts() []billing.Fact {
	kind, id := of.Object, of.ID
	switch of.Object {
	case kindSession, kindSubscription, kindPayment:
	case "invoice":
		kind, id = kindSubscription, of.Parent.Subscription.ID
	case "charge", "refund", "dispute":
		kind, id = kindPayment, of.PaymentIntent
	default:
		return nil
	}
	if id == "" {
		return nil
	}
	return []billing.Fact{{ID: id, Named: &billing.Named{Kind: kind}}}
}

// Look returns the sale that an object belongs to, as it is now.
func (s *Stripe) Look(ctx context.Context, id string, told billing.Named) ([]billing.Fact, error) {
	switch told.Kind {
	case kindSession:
		return s.Fetch(ctx, id)
	case kindSubscription:
		return s.bySubscription(ctx, id)
	}
	return s.byPayment(ctx, id)
}

// bySubscription fetches the sale of a subscription; "" is one without.
func (s *Stripe) bySubscription(ctx context.Context, id string) ([]billing.Fact, error) {
	if id == "" {
		return nil, nil
	}
	return s.found(ctx, &stripe.CheckoutSessionListParams{Subscription: &id})
}

// byPayment fetches the sale of a payment: of a single one, or for an invoice of a
// subscription.
func (s *Stripe) byPayment(ctx context.Context, id string) ([]billing.Fact, error) {
	if !strings.HasPrefix(id, "pi_") {
		return nil, nil
	}
	facts, err := s.found(ctx, &stripe.CheckoutSessionListParams{PaymentIntent: &id})
	if err != nil || len(facts) > 0 {
		return facts, err
	}
	list := &stripe.InvoicePaymentListParams{Payment: &stripe.InvoicePaymentListPaymentParams{Type: new("payment_intent"), PaymentIntent: &id}}
	list.AddExpand("data.invoice")
	paid, err := first(s.api.V1InvoicePayments.List(ctx, list).All(ctx))
	if err != nil {
		return nil, err
	}
	parent := payment.Value(payment.Value(paid.Invoice).Parent)
	return s.bySubscription(ctx, payment.Value(payment.Value(parent.SubscriptionDetails).Subscription).ID)
}

// found fetches the sale that the first session of a list is.
func (s *Stripe) found(ctx context.Context, list *stripe.CheckoutSessionListParams) ([]billing.Fact, error) {
	one, err := first(s.api.V1CheckoutSessions.List(ctx, list).All(ctx))
	if err != nil || one.ID == "" {
		return nil, err
	}
	return s.Fetch(ctx, one.ID)
}
