// Package polar sells through Polar (https://polar.sh/docs/api-reference), which is the merchant of record: by hosted
// checkouts, subscriptions and the customer portal.
//
// # Decision
//
// Context: a price of Polar is a product. A checkout treats a buyer who enters an email address as the customer who
// has it: the purchases, and the access to the portal, are that customer's. Polar has no idempotency keys. Its API may
// read from a replica that lags behind its webhooks, and objects have no version.
//
// Choice: each of our prices is a product, and each of our customers a customer of Polar, which is created before the
// checkout and bound to it. Before an object is created, it is looked up by our identifier in its metadata. An event
// only identifies the sale, which is fetched whole, with the time at which the fetch began, once the event is stored;
// a fetch that returns an older state than the event fails and is repeated.
//
// Its library (polar-go v0.16.0) is not used. It decodes enumerations strictly: it fails to decode a subscription with
// a status, or an order with a currency, that Polar added later ("invalid value for SubscriptionStatus"). Buyers would
// wait for the next release of this program, while the adapter ignores unknown values. The library also makes the
// program 6.5 MB larger, and has no idempotency keys to offer.
//
// What would change our mind: a library that keeps unknown values; or so many events that the fetches, mostly five for
// each, reach the rate limit of the organization (500 per minute).
package polar

import (
	"net/http"
	"slices"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// Name is the name of the processor.
const Name = "polar"

// Keys of the metadata that link objects of Polar to ours. customerKey is the customer of Polar to which a checkout was
// bound.
const (
	checkoutKey = "checkout_id"
	refundKey   = "refund_id"
	priceKey    = "price_id"
	couponKey   = "coupon_id"
	meterKey    = "meter"
	customerKey = "customer_id"
)

// Polar implements billing.Processor.
type Polar struct {
	options payment.Options
	http    *http.Client
	// documents reads the documents of invoices.
	documents *fetch.Reader
	origin    string
}

// New returns the processor. Test and live mode have different addresses.
func New(o payment.Options) *Polar {
	origin := "https://api.polar.sh/v1/"
	if o.Mode != billing.Live {
		origin = "https://sandbox-api.polar.sh/v1/"
	}
	return &Polar{options: o, http: payment.Client(o), documents: payment.Documents(o), origin: origin}
}

// Account returns Polar, in the configured mode.
func (p *Polar) Account() billing.Account { return p.options.Account() }

// Abilities returns all abilities but one: Polar always charges the difference of a change.
func (*Polar) Abilities() []billing.Ability {
	return slices.DeleteFunc(billing.Abilities(), func(a billing.Ability) bool { return a == billing.CanWaive })
}

// Selling returns the part of the port that begins sales.
func (p *Polar) Selling() commerce.Selling { return p }

// Changing returns the part of the port that changes and refunds sales.
func (p *Polar) Changing() commerce.Changing { return p }

// Serving returns the part of the port for customers and invoices.
func (p *Polar) Serving() commerce.Serving { return p }

// Hooks returns the part of the port that reads webhooks.
func (p *Polar) Hooks() commerce.Hooks { return p }
