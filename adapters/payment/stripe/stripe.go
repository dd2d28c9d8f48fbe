// Package stripe sells through Stripe (https://docs.stripe.com/api): hosted Checkout, Billing and the customer
// portal.
//
// # Decision
//
// Context: an event of Stripe contains an object without the related ones: a session without its line items, a
// payment without the subscription that it pays for. Its time is in seconds, and a subscription may change twice
// in a second.
//
// Choice: an event only identifies the sale. Once the event is stored, the whole sale is fetched, with the time at
// which the fetch began. There is an event for each change, so the last fetch begins after the last change, in
// whatever order the events arrive.
//
// Its library (stripe-go v85.2.0) makes the calls, with the API version that it was generated for. It makes the
// program 8 MB larger. We verify the signatures of webhooks (payment.SignatureFormat), because the library uses the system
// clock, accepts future times, and decodes whole events, of which we need the identifiers alone.
//
// What would change our mind: so many events that the fetches, mostly four for each, reach the rate limit of the
// account (100 per second).
package stripe

import (
	"strings"

	"github.com/stripe/stripe-go/v85"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// Name is the name of the processor.
const Name = "stripe"

// Keys of the metadata that link objects of Stripe to ours.
const (
	checkoutKey = "checkout_id"
	subtotalKey = "subtotal"
	refundKey   = "refund_id"
	priceKey    = "price_id"
)

// Stripe implements billing.Processor.
type Stripe struct {
	options payment.Options
	api     *stripe.Client
	// documents reads the documents of invoices.
	documents *fetch.Reader
}

// New returns the processor. The retries, the log and the telemetry of the library are disabled; payment.Client
// retries.
func New(o payment.Options) *Stripe {
	through := payment.Client(o)
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		HTTPClient: through, MaxNetworkRetries: new(int64), EnableTelemetry: new(bool), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &Stripe{options: o, api: stripe.NewClient(o.SecretKey.Reveal(), stripe.WithBackends(backends)), documents: payment.Documents(o)}
}

// Mode returns whether a key is for test or live payments; "" if it is no key of Stripe.
func Mode(key string) billing.Mode {
	switch {
	case strings.HasPrefix(key, "sk_test_"), strings.HasPrefix(key, "rk_test_"):
		return billing.Test
	case strings.HasPrefix(key, "sk_live_"), strings.HasPrefix(key, "rk_live_"):
		return billing.Live
	}
	return ""
}

// Account returns Stripe, in the mode of the key.
func (s *Stripe) Account() billing.Account { return s.options.Account() }

// Abilities returns all abilities.
func (*Stripe) Abilities() []billing.Ability { return billing.Abilities() }

// Selling returns the part of the port that begins sales.
func (s *Stripe) Selling() commerce.Selling { return s }

// Changing returns the part of the port that changes and refunds sales.
func (s *Stripe) Changing() commerce.Changing { return s }

// Serving returns the part of the port for customers and invoices.
func (s *Stripe) Serving() commerce.Serving { return s }

// Hooks returns the part of the port that reads webhooks.
func (s *Stripe) Hooks() commerce.Hooks { return s }
