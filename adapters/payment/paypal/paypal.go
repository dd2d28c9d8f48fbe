// Package paypal sells by PayPal (https://developer.paypal.com/api/rest/): orders that are
// captured once the buyer has approved them, and subscriptions to plans.
//
// # Decision
//
// Context: PayPal has a page where a buyer approves an order or a subscription. It charges a
// subscription by itself, and an order when its seller captures it. It has no portal for what
// it sold, writes no invoices, and keeps no customers. A subscription that is canceled is over
// at once and for good; one that is suspended is not charged, and can be activated again. To
// move one to another plan or quantity, its buyer has to approve that on a page of PayPal's.
//
// Choice: what is sold for once is an order with a sum of ours, what is paid again and again is
// a plan for each price. A trial is a subscription that starts later. What is canceled with its
// period is suspended at PayPal, with a note by which it is known again, and canceled there
// once the period is over; to resume it is to activate it. Changes of plan are not offered,
// since nobody could approve them. The sale that a hook is about is fetched whole, with the time
// at which that began. A charge is an invoice, which we print.
//
// A hook is believed without asking PayPal, by the signature and the certificate that it names:
// that comes from PayPal's own host alone, and has its chain of trust checked.
//
// Its library (plutov/paypal v4.17.0) is not used. It keeps the token of its calls until it
// ends by the clock of the machine, also when PayPal takes it no longer: of five calls after
// that, five fail. It panics when PayPal answers without a token. It has no keys of idempotency
// for subscriptions and plans, and reads neither the name of a subscription's plan nor whether
// that is per seat. Its own requests (NewRequest, SendWithAuth) would leave the objects here as
// they are, and bring that token. Its go.mod names its tools: the modules that the build chooses
// among grow from 245 to 427, with golangci-lint among them.
//
// What would change our mind: a library that drops such a token, or coupons on subscriptions that end by themselves, or changes of
// plans that buyers agree to here.
package paypal

import (
	"net/http"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// Name is the processor's.
const Name = "paypal"

// PayPal is the processor.
type PayPal struct {
	options payment.Options
	http    *http.Client
	token   token
	signers signers
}

// New makes the processor. The secret key is an identifier and a secret, parted by a colon.
func New(o payment.Options) *PayPal {
	return &PayPal{options: o, http: payment.Client(o)}
}

// Account is PayPal, in the mode that is configured: the key does not tell it.
func (p *PayPal) Account() billing.Account { return p.options.Account() }

// Abilities returns those that need no consent of the buyer's but the first.
func (*PayPal) Abilities() []billing.Ability {
	return []billing.Ability{
		billing.CanSubscribe, billing.CanTry, billing.CanRefund, billing.CanRefundPart, billing.CanCancel, billing.CanResume,
	}
}

// Selling begins sales.
func (p *PayPal) Selling() ports.Selling { return p }

// Changing changes what was sold.
func (p *PayPal) Changing() ports.Changing { return p }

// Serving serves those who bought.
func (p *PayPal) Serving() ports.Serving { return p }

// Hooks reads the hooks.
func (p *PayPal) Hooks() ports.Hooks { return p }
