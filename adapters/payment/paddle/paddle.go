// Package paddle sells by Paddle Billing (https://developer.paddle.com/api-reference), who is
// the merchant of record: it sells to the buyer, and sees to the taxes.
//
// # Decision
//
// Context: Paddle has no hosted page, no idempotency keys and no data of ours at refunds. Its
// events hold one object; a chargeback is an object of its own, beside the transaction.
//
// Choice: the page is ours, /pay/paddle, where Paddle.js opens the transaction. What is made
// is looked for before by our identifier: in the custom data of products, prices and
// transactions, in the code of a discount, in the reason of a refund. An event names the sale,
// and the sale is fetched whole, with the time at which that began, as for Stripe. Only what
// the API made is a sale of ours: with the public token of the page anybody may begin a
// transaction that says it belongs to a checkout.
//
// A trial belongs to a price at Paddle, and to a checkout here: a checkout with one is over an
// item that has the price in it, with the trial, in place of the identifier of the price.
// A chargeback is a dispute that is open until Paddle takes it back: when it is final nobody
// tells.
//
// Its library (paddle-go-sdk v4.2.0) makes the calls. It asks for no version of the API, drops
// the status of an answer that is an error, and panics where the answer to a list is no JSON:
// caller sees to all three. It cannot ask for what was made since a time: the newest are read
// first, up to that. How hooks are signed stays ours (payment.Signed): the library goes by the
// clock of the machine, and takes no header with two signatures, as there are while a secret
// rotates.
//
// What would change our mind: so many events that the fetches, two for most, meet the rate
// limit (240 a minute from one address).
package paddle

import (
	"strings"

	api "github.com/PaddleHQ/paddle-go-sdk/v4"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	ports "gatehouse.internal/ports/outbound/billing"
)

// Name is the processor's.
const Name = "paddle"

// PagePath is where the page that runs Paddle.js is; below it, that of one checkout.
const PagePath = "/pay/paddle"

// Names of the custom data by which objects of Paddle say what of ours they are.
const (
	checkoutKey = "checkout_id"
	subtotalKey = "subtotal"
	productKey  = "product_id"
	priceKey    = "price_id"
	// standsForKey names the price that one with a trial stands for, by Paddle's identifier.
	standsForKey = "stands_for"
)

// Paddle is the processor.
type Paddle struct {
	options payment.Options
	api     *api.SDK
	// documents reads invoices.
	documents *fetch.Reader
}

// New makes the processor.
func New(o payment.Options) *Paddle {
	origin, through := api.SandboxBaseURL, payment.Client(o)
	if o.Mode == billing.Live {
		origin = api.ProductionBaseURL
	}
	// It fails for no address of Paddle's.
	sdk, _ := api.New(o.SecretKey.Reveal(), api.WithBaseURL(origin), api.WithClient(caller{through}))
	return &Paddle{options: o, api: sdk, documents: payment.Documents(o)}
}

// Mode returns whether a key is for trials or real money; "" for one that does not tell, as
// those before May 2025 do not (https://developer.paddle.com/api-reference/about/api-keys).
func Mode(key string) billing.Mode {
	switch {
	case strings.HasPrefix(key, "pdl_sdbx_"):
		return billing.Test
	case strings.HasPrefix(key, "pdl_live_"):
		return billing.Live
	}
	return ""
}

// TokenMode returns the same of a client-side token
// (https://developer.paddle.com/paddle-js/about/client-side-tokens).
func TokenMode(token string) billing.Mode {
	switch {
	case strings.HasPrefix(token, "test_"):
		return billing.Test
	case strings.HasPrefix(token, "live_"):
		return billing.Live
	}
	return ""
}

// Account is Paddle, in the mode of the key.
func (p *Paddle) Account() billing.Account { return p.options.Account() }

// Abilities returns all but what follows from use: Paddle knows amounts for a quantity alone.
func (*Paddle) Abilities() []billing.Ability {
	return []billing.Ability{
		billing.CanSubscribe, billing.CanTry, billing.CanDiscount, billing.CanRefund, billing.CanRefundPart, billing.CanCancel, billing.CanResume,
		billing.CanChange, billing.CanProrate, billing.CanWaive, billing.CanPortal, billing.CanPDF, billing.CanAddress,
	}
}

// Selling begins sales.
func (p *Paddle) Selling() ports.Selling { return p }

// Changing changes what was sold.
func (p *Paddle) Changing() ports.Changing { return p }

// Serving serves those who bought.
func (p *Paddle) Serving() ports.Serving { return p }

// Hooks reads the hooks.
func (p *Paddle) Hooks() ports.Hooks { return p }
