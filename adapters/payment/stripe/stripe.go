// Package stripe sells by Stripe (https://docs.stripe.com/api): hosted Checkout, Billing and
// its customer portal.
//
// # Decision
//
// Context: an event of Stripe holds an object without what belongs to it: a session without
// its line items, a payment without the subscription that it pays. It is stamped by the
// second, and a second is enough for two states of one subscription.
//
// Choice: an event names the sale, and once the event is stored the sale is fetched whole, with
// the time at which that began. Every change is told by an event, so the last fetch begins
// after the last change, whatever the order in which events come.
//
// Its library (stripe-go v85.2.0) makes the calls, by the version of the API that it was made
// for. It makes this program 8 MB larger. How hooks are signed stays ours (payment.Signed): the
// library compares the time of a signature with the clock of the machine, takes those of the
// future, and reads the whole event into its objects, of which we read names.
//
// What would change our mind: so many events that the fetches, four for most, meet the rate
// limit of the account (100 a second).
package stripe

import (
	"strings"

	"github.com/stripe/stripe-go/v85"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// Name is the processor's.
const Name = "stripe"

// Names of the metadata by which objects of Stripe say what of ours they are.
const (
	checkoutKey = "checkout_id"
	subtotalKey = "subtotal"
	refundKey   = "refund_id"
	priceKey    = "price_id"
)

// Stripe is the processor.
type Stripe struct {
	options payment.Options
	api     *stripe.Client
	// documents reads invoices.
	documents *fetch.Reader
}

// New makes the processor. What the library would repeat, log and tell Stripe about itself is
// switched off: the client of all processors repeats.
func New(o payment.Options) *Stripe {
	through := payment.Client(o)
	backends := stripe.NewBackendsWithConfig(&stripe.BackendConfig{
		HTTPClient: through, MaxNetworkRetries: new(int64), EnableTelemetry: new(bool), LeveledLogger: &stripe.LeveledLogger{Level: stripe.LevelNull},
	})
	return &Stripe{options: o, api: stripe.NewClient(o.SecretKey.Reveal(), stripe.WithBackends(backends)), documents: payment.Documents(o)}
}

// Mode returns whether a key is for trials or real money; "" for what is no key of Stripe.
func Mode(key string) billing.Mode {
	switch {
	case strings.HasPrefix(key, "sk_test_"), strings.HasPrefix(key, "rk_test_"):
		return billing.Test
	case strings.HasPrefix(key, "sk_live_"), strings.HasPrefix(key, "rk_live_"):
		return billing.Live
	}
	return ""
}

// Account is Stripe, in the mode of the key.
func (s *Stripe) Account() billing.Account { return s.options.Account() }

// Abilities returns all there are.
func (*Stripe) Abilities() []billing.Ability { return billing.Abilities() }

// Selling begins sales.
func (s *Stripe) Selling() ports.Selling { return s }

// Changing changes what was sold.
func (s *Stripe) Changing() ports.Changing { return s }

// Serving serves those who bought.
func (s *Stripe) Serving() ports.Serving { return s }

// Hooks reads the hooks.
func (s *Stripe) Hooks() ports.Hooks { return s }
