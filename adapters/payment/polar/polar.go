// Package polar sells by Polar (https://polar.sh/docs/api-reference), who is the merchant of
// record: hosted checkouts, subscriptions and its customer portal.
//
// # Decision
//
// Context: a price of Polar is a product, and a checkout takes whoever types an address for
// the customer who has it: what they buy, and the portal they may open, are that customer's.
// Nothing at Polar is made once for a key. Its answers may come from a copy of its database
// that lags behind its hooks, and objects have no version.
//
// Choice: each of our prices is a product there, and each of our customers one there, made
// before the checkout, which is bound to it. What is made is looked for first, by our
// identifier in its metadata. An event names the sale, which is fetched whole with the time at
// which that began, once the event is stored; a fetch that does not know yet what the event
// told fails, and is made again.
//
// Its library (polar-go v0.16.0) is not used. It reads words by closed lists: of a subscription
// with a status that Polar added since, or an order in such a currency, it reads nothing at all
// ("invalid value for SubscriptionStatus"). Whoever paid would wait for the next release of this
// program, where the adapter takes what it knows. The library also makes the program 6.5 MB
// larger, and has no keys of idempotency to add.
//
// What would change our mind: a library that keeps words which it does not know, or so many events that the fetches, five for most, meet the rate
// limit of the organization (500 a minute).
package polar

import (
	"net/http"
	"slices"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// Name is the processor's.
const Name = "polar"

// Names of the metadata by which objects of Polar say what of ours they are. The customer is
// the one at Polar that a checkout was bound to.
const (
	checkoutKey = "checkout_id"
	refundKey   = "refund_id"
	priceKey    = "price_id"
	couponKey   = "coupon_id"
	meterKey    = "meter"
	customerKey = "customer_id"
)

// Polar is the processor.
type Polar struct {
	options payment.Options
	http    *http.Client
	// documents reads invoices.
	documents *fetch.Reader
	origin    string
}

// New makes the processor. Sales for trial are made at another place than real ones.
func New(o payment.Options) *Polar {
	origin := "https://api.polar.sh/v1/"
	if o.Mode != billing.Live {
		origin = "https://sandbox-api.polar.sh/v1/"
	}
	return &Polar{options: o, http: payment.Client(o), documents: payment.Documents(o), origin: origin}
}

// Account is Polar, in the mode that is configured.
func (p *Polar) Account() billing.Account { return p.options.Account() }

// Abilities returns all but one: what a change adds to a running period, Polar charges.
func (*Polar) Abilities() []billing.Ability {
	return slices.DeleteFunc(billing.Abilities(), func(a billing.Ability) bool { return a == billing.CanWaive })
}

// Selling begins sales.
func (p *Polar) Selling() ports.Selling { return p }

// Changing changes what was sold.
func (p *Polar) Changing() ports.Changing { return p }

// Serving serves those who bought.
func (p *Polar) Serving() ports.Serving { return p }

// Hooks reads the hooks.
func (p *Polar) Hooks() ports.Hooks { return p }
