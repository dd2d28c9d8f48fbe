// Package paddle sells through Paddle Billing (https://developer.paddle.com/api-reference), which is the merchant
// of record: it sells to the buyer, and handles taxes.
//
// # Decision
//
// Context: Paddle has no hosted page, no idempotency keys, and no custom data for refunds. Its events contain a
// single object; a chargeback is an object of its own, beside the transaction.
//
// Choice: the page is ours, /pay/paddle, where Paddle.js opens the transaction. Before an object is created, it is
// looked up by our identifier: in the custom data of products, prices and transactions, in the code of a discount,
// in the reason of a refund. The service lets one caller at a time do so. An event only identifies the sale, which is fetched whole, with the time at which the
// fetch began, as for Stripe. Only transactions created by the API are ours: with the public token of the page
// anybody can create a transaction that names a checkout.
//
// A trial belongs to a price at Paddle, and to a checkout here: the item of a checkout with a trial contains the
// price with the trial, in place of the identifier of the price. A chargeback is an open dispute until Paddle
// reverses it: Paddle does not report when it is final.
//
// Its library (paddle-go-sdk v4.2.0) makes the calls. It requests no version of the API, drops the status of an
// error response, and panics if the response to a list is not JSON; caller corrects all three. It cannot list the
// objects created since a time: the newest are read first, until that time. We verify the signatures of webhooks
// (payment.SignatureFormat), because the library uses the system clock, and rejects a header with two signatures, as there
// is while a secret is rotated.
//
// What would change our mind: so many events that the fetches, mostly two for each, reach the rate limit (240 per
// minute from one address).
package paddle

import (
	"strings"

	api "github.com/PaddleHQ/paddle-go-sdk/v4"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/adapters/payment"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// Name is the name of the processor.
const Name = "paddle"

// PagePath is the path of the page that runs Paddle.js; that of a checkout is below it.
const PagePath = "/pay/paddle"

// Keys of the custom data that link objects of Paddle to ours.
const (
	checkoutKey = "checkout_id"
	subtotalKey = "subtotal"
	productKey  = "product_id"
	priceKey    = "price_id"
	// standsForKey is Paddle's identifier of the price that a price with a trial replaces.
	standsForKey = "stands_for"
)

// Paddle implements billing.Processor.
type Paddle struct {
	options payment.Options
	api     *api.SDK
	// documents reads the documents of invoices.
	documents *fetch.Reader
}

// New returns the processor.
func New(o payment.Options) *Paddle {
	origin, through := api.SandboxBaseURL, payment.Client(o)
	if o.Mode == billing.Live {
		origin = api.ProductionBaseURL
	}
	// It only fails for an invalid address.
	sdk, _ := api.New(o.SecretKey.Reveal(), api.WithBaseURL(origin), api.WithClient(caller{through}))
	return &Paddle{options: o, api: sdk, documents: payment.Documents(o)}
}

// Mode returns whether a key is for test or live payments; "" if its format does not show it, as that of keys
// before May 2025 (https://developer.paddle.com/api-reference/about/api-keys).
func Mode(key string) billing.Mode {
	switch {
	case strings.HasPrefix(key, "pdl_sdbx_"):
		return billing.Test
	case strings.HasPrefix(key, "pdl_live_"):
		return billing.Live
	}
	return ""
}

// TokenMode is Mode for a client-side token
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

// Account returns Paddle, in the mode of the key.
func (p *Paddle) Account() billing.Account { return p.options.Account() }

// Abilities returns all abilities except for metered and tiered prices, which Paddle does not have.
func (*Paddle) Abilities() []billing.Ability {
	return []billing.Ability{
		billing.CanSubscribe, billing.CanTry, billing.CanDiscount, billing.CanRefund, billing.CanRefundPart, billing.CanCancel, billing.CanResume,
		billing.CanChange, billing.CanProrate, billing.CanWaive, billing.CanPortal, billing.CanPDF, billing.CanAddress,
	}
}

// Selling returns the part of the port that begins sales.
func (p *Paddle) Selling() commerce.Selling { return p }

// Changing returns the part of the port that changes and refunds sales.
func (p *Paddle) Changing() commerce.Changing { return p }

// Serving returns the part of the port for customers and invoices.
func (p *Paddle) Serving() commerce.Serving { return p }

// Hooks returns the part of the port that reads webhooks.
func (p *Paddle) Hooks() commerce.Hooks { return p }
