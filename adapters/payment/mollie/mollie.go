// Package mollie sells by Mollie (https://docs.mollie.com/reference): its hosted payment page,
// and subscriptions on the mandate that a first payment leaves.
//
// # Decision
//
// Context: Mollie knows customers, payments and subscriptions, and neither prices, coupons and
// invoices nor a portal. A subscription is made by its seller once the first payment is there;
// it charges a sum, beginning with a day. A hook is not signed, and names a payment alone.
// A subscription that is canceled is over: nothing brings it back.
//
// Choice: a price is what a payment and a subscription are marked with, the sum is ours. The
// sale that a hook is about is fetched whole, with the time at which that began, and is told
// once for each state of it: what anybody else may post changes nothing. The state of a
// subscription follows from its charges. One that is canceled goes on here until what was paid
// is used up; to resume it is to make another, from that day on, on the same mandate. A paid
// charge is an invoice, which we print. A chargeback is a dispute that is open until Mollie
// takes it back: when it is final nobody tells.
//
// Its library (mollie-api-go v4.13.0) makes the calls. Three things stay ours. A key of
// idempotency: the library draws one by itself, for POST alone, so that no call could be made
// again under the key of the first; payment.Keyed sets it. Paging: the library has no iterator. The
// words of an error: the library has them only where the length of the answer is told. Of why a
// charge failed it reads the reason (refused_by_issuer) and not the sentence, so that is shown.
//
// What would change our mind: coupons, or the hooks of the next generation, which are signed,
// out of their trial.
package mollie

import (
	"strings"

	api "github.com/VictorAvelar/mollie-api-go/v4/mollie"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// Name is the processor's.
const Name = "mollie"

// Names of the metadata by which objects of Mollie say what of ours they are. A charge of a
// subscription has that of the subscription.
const (
	checkoutKey = "checkout_id"
	customerKey = "customer_id"
	refundKey   = "refund_id"
	priceKey    = "price_id"
	quantityKey = "quantity"
	intervalKey = "interval"
	// subtotalKey is what was agreed, in minor units, and trialKey for how many days nothing of
	// it is charged; it is there with a trial alone.
	subtotalKey = "subtotal"
	trialKey    = "trial_days"
)

// Mollie is the processor.
type Mollie struct {
	options payment.Options
	api     *api.Client
	// asking bounds how many hooks are asked about at once.
	asking chan struct{}
}

// New makes the processor.
func New(o payment.Options) *Mollie {
	return &Mollie{options: o, api: connect(o, payment.Client(o)), asking: make(chan struct{}, askers)}
}

// Mode returns whether a key is for trials or real money; "" for what is no API key
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

// Account is Mollie, in the mode of the key.
func (m *Mollie) Account() billing.Account { return m.options.Account() }

// Abilities returns those that follow from payments and subscriptions of a sum. Mollie charges a
// change from the next period on.
func (*Mollie) Abilities() []billing.Ability {
	return []billing.Ability{
		billing.CanSubscribe, billing.CanTry, billing.CanRefund, billing.CanRefundPart, billing.CanCancel, billing.CanResume, billing.CanChange,
		billing.CanWaive, billing.CanTier, billing.CanAddress,
	}
}

// Selling begins sales.
func (m *Mollie) Selling() ports.Selling { return m }

// Changing changes what was sold.
func (m *Mollie) Changing() ports.Changing { return m }

// Serving serves those who bought.
func (m *Mollie) Serving() ports.Serving { return m }

// Hooks reads the hooks.
func (m *Mollie) Hooks() ports.Hooks { return m }
