// Package paypal sells through PayPal (https://developer.paypal.com/api/rest/): by orders that are captured after the
// approval of the buyer, and by subscriptions to plans.
//
// # Decision
//
// Context: PayPal has a page where a buyer approves an order or a subscription. It charges a subscription by itself,
// and an order when the seller captures it. It has no customer portal, no invoices and no customers. A canceled
// subscription ends at once and cannot be resumed; a suspended one is not charged, and can be activated again. A
// change of plan or quantity has to be approved by the buyer on a page of PayPal.
//
// Choice: a one-time sale is an order with an amount of ours, and each recurring price is a plan. A trial is a
// subscription with a later start. A subscription that is canceled at the end of its period is suspended at PayPal,
// with a note that identifies it, and canceled there after the period; to resume it, it is activated. Changes of
// plan are not offered, because they would need another approval. For each webhook the whole sale is fetched, with
// the time at which the fetch began. A charge is an invoice, which we print.
//
// Webhooks are verified without a call to PayPal, by their signature and the certificate that they name: it is only
// fetched from a host of PayPal, and its chain is verified.
//
// The library plutov/paypal (v4.17.0) is not used. It uses a token until it expires by the system clock, also if
// PayPal rejects it: of five calls after that, five fail. It panics if PayPal returns no token. It has no idempotency
// keys for subscriptions and plans, and decodes neither the name of the plan of a subscription nor whether that is
// per seat. Its generic requests (NewRequest, SendWithAuth) would still need the objects of this package, and have
// the same problem with tokens. Its go.mod lists its tools: the module graph of the build grows from 245 to 427
// modules, including golangci-lint.
//
// What would change our mind: a library that drops rejected tokens; coupons on subscriptions that end by themselves;
// or changes of plan without another approval.
package paypal

import (
	"net/http"

	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// Name is the name of the processor.
const Name = "paypal"

// PayPal implements billing.Processor.
type PayPal struct {
	options payment.Options
	http    *http.Client
	token   token
	signers signers
}

// New returns the processor. The secret key is a client id and a secret, separated by a colon.
func New(o payment.Options) *PayPal {
	return &PayPal{options: o, http: payment.Client(o)}
}

// Account returns PayPal, in the configured mode: the key does not show it.
func (p *PayPal) Account() billing.Account { return p.options.Account() }

// Abilities returns the abilities that need no further approval by the buyer.
func (*PayPal) Abilities() []billing.Ability {
	return []billing.Ability{
		billing.CanSubscribe, billing.CanTry, billing.CanRefund, billing.CanRefundPart, billing.CanCancel, billing.CanResume,
	}
}

// Selling returns the part of the port that begins sales.
func (p *PayPal) Selling() commerce.Selling { return p }

// Changing returns the part of the port that changes and refunds sales.
func (p *PayPal) Changing() commerce.Changing { return p }

// Serving returns the part of the port for customers and invoices.
func (p *PayPal) Serving() commerce.Serving { return p }

// Hooks returns the part of the port that reads webhooks.
func (p *PayPal) Hooks() commerce.Hooks { return p }
