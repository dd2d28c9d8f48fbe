// Package mollie sells through Mollie (https://docs.mollie.com/reference): by its hosted payment page, and by
// subscriptions on the mandate that a first payment creates.
//
// # Decision
//
// Context: Mollie has customers, payments and subscriptions, but no prices, coupons, invoices or customer
// portal. The seller creates a subscription after the first payment; it charges an amount from a day on. A
// webhook is not signed, and only names a payment. A canceled subscription cannot be resumed.
//
// Choice: payments and subscriptions carry our price in their metadata, and we compute the amount. For each
// webhook the whole sale is fetched, with the time at which the fetch began, and each state of it is applied
// once, so that forged webhooks have no effect. The status of a subscription is derived from its charges. A
// canceled one lasts here until the end of the paid period; to resume it, another one is created from that day
// on, on the same mandate. A paid charge is an invoice, which we print. A chargeback is an open dispute until
// Mollie reverses it: Mollie does not report when it is final.
//
// Its library (mollie-api-go v4.13.0) makes the calls. Three things are ours. Idempotency keys: the library
// generates random ones, for POST alone, so that a call could not be retried under the key of the first;
// payment.Keyed sets them. Paging: the library has no iterator. Error messages: the library reads them only if
// the response has a Content-Length. Of a failed charge the library reads the reason (refused_by_issuer) and
// not the message, so that the reason is shown.
//
// What would change our mind: coupons, or the general availability of the next generation of webhooks, which
// are signed.
package mollie

import (
	"strings"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// Name is the name of the processor.
const Name = "mollie"

// Keys of the metadata that link objects of Mollie to ours. A charge of a subscription has the metadata of the
// subscription.
const (
	checkoutKey = "checkout_id"
	customerKey = "customer_id"
	refundKey   = "refund_id"
	priceKey    = "price_id"
	quantityKey = "quantity"
	intervalKey = "interval"
	// subtotalKey is the agreed amount, in minor units, and trialKey the length of the trial in days;
	// absent without a trial.
	subtotalKey = "subtotal"
	trialKey    = "trial_days"
)

// Mollie implements billing.Processor.
type Mollie struct {
	options payment.Options
	api     *api.Client
	// lookups limits how many webhooks are looked up at once.
	lookups chan struct{}
}

// New returns the processor.
func New(o payment.Options) *Mollie {
	return &Mollie{options: o, api: connect(o, payment.Client(o)), lookups: make(chan struct{}, maxLookups)}
}

// Mode returns whether a key is for test or live payments; "" if it is no API key
// (https://docs.mollie.com/reference/authentication).
func Mode(key string) billing.Mode {
	switch {
	case strings.HasPrefix(key, "test_"):
		return billing.Test
	case strings.HasPrefix(key, "live_"):
		return billing.Live
	}
	return ""
}

// Account returns Mollie, in the mode of the key.
func (m *Mollie) Account() billing.Account { return m.options.Account() }

// Abilities returns what can be done with payments and subscriptions of an amount. A change of a subscription is
// charged from the next period on.
func (*Mollie) Abilities() []billing.Ability {
	return []billing.Ability{
		billing.CanSubscribe, billing.CanTry, billing.CanRefund, billing.CanRefundPart, billing.CanCancel, billing.CanResume, billing.CanChange,
		billing.CanWaive, billing.CanTier, billing.CanAddress,
	}
}

// Selling returns the part of the port that begins sales.
func (m *Mollie) Selling() commerce.Selling { return m }

// Changing returns the part of the port that changes and refunds sales.
func (m *Mollie) Changing() commerce.Changing { return m }

// Serving returns the part of the port for customers and invoices.
func (m *Mollie) Serving() commerce.Serving { return m }

// Hooks returns the part of the port that reads webhooks.
func (m *Mollie) Hooks() commerce.Hooks { return m }
