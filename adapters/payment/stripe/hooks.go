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

// Signed returns the format of the signatures of Stripe
// (https://docs.stripe.com/webhooks#verify-manually).
func Signed() payment.SignatureFormat {
	return payment.SignatureFormat{Separator: ",", Time: "t", Mark: "v1", Joint: "."}
}

// SignatureHeader is the header with the signature.
const SignatureHeader = "Stripe-Signature"

// event has the fields of an event that identify its object.
type event struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Livemode bool   `json:"livemode"`
	Data     struct {
		Object subject `json:"object"`
	} `json:"data"`
}

// subject is the object of an event, with the identifiers of related objects that some kinds have.
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

// Read verifies a webhook, and returns the object of its event, which Look fetches. It fails with
// billing.ErrSignature.
func (s *Stripe) Read(_ context.Context, header http.Header, body []byte, now time.Time) ([]billing.ProcessorEvent, error) {
	if err := Signed().Check(s.options.WebhookSecret, header.Get(SignatureHeader), body, now); err != nil {
		return nil, err
	}
	var received event
	if err := json.Unmarshal(body, &received); err != nil || received.ID == "" || received.Livemode != (s.options.Mode == billing.Live) {
		return nil, billing.ErrSignature
	}
	return []billing.ProcessorEvent{{EventID: received.ID, Type: received.Type, Facts: received.Data.Object.facts()}}, nil
}

// The kinds of objects by which a sale is found.
const (
	kindSession      = "checkout.session"
	kindSubscription = "subscription"
	kindPayment      = "payment_intent"
)

// facts returns the object by which the sale of an event is found; nil for other events.
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
	return []billing.Fact{{ID: id, Named: &billing.ObjectRef{Kind: kind}}}
}

// Look fetches the sale to which an object belongs.
func (s *Stripe) Look(ctx context.Context, id string, object billing.ObjectRef) ([]billing.Fact, error) {
	switch object.Kind {
	case kindSession:
		return s.Fetch(ctx, id)
	case kindSubscription:
		return s.bySubscription(ctx, id)
	}
	return s.byPayment(ctx, id)
}

// bySubscription fetches the sale of a subscription; nothing for "".
func (s *Stripe) bySubscription(ctx context.Context, id string) ([]billing.Fact, error) {
	if id == "" {
		return nil, nil
	}
	return s.found(ctx, &stripe.CheckoutSessionListParams{Subscription: &id})
}

// byPayment fetches the sale of a payment: a one-time sale, or that of the subscription whose invoice it pays.
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

// found fetches the sale of the first session of a list.
func (s *Stripe) found(ctx context.Context, list *stripe.CheckoutSessionListParams) ([]billing.Fact, error) {
	one, err := first(s.api.V1CheckoutSessions.List(ctx, list).All(ctx))
	if err != nil || one.ID == "" {
		return nil, err
	}
	return s.Fetch(ctx, one.ID)
}
