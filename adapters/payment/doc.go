// Package payment is what the adapters of all payment processors share: how they call
// (Client), how their hooks are signed (Signed), and what configures them (Options).
//
// # Add a processor
//
//  1. A package adapters/payment/<processor> that implements billing.Processor of
//     ports/outbound/billing on the processor's library, which is given Client as its
//     *http.Client and has retries of its own switched off; Keyed sets a key of idempotency
//     that the library takes with no call. Where a library is worse than none, as those of
//     PayPal and Polar are, requests of the adapter's own go through Exchange, and its Decision
//     says what was found. New(Options) makes it; Mode returns test or live by the key, ""
//     where the key does not tell.
//  2. One field of BillingConfig and one line of its sellers in bootstrap/config/billing.go,
//     one line in processors of bootstrap/billing.go, and the variables in
//     adapters/pages/docs/configuration.md.
//  3. An upstream of the tests in test/fake/upstream/<processor>, by the processor's reference,
//     which implements upstream.Processor of test/contract/paying; one line in the list of
//     test/contract/paying/all_test.go lets the whole suite run over it, and one in
//     test/golden/processors_test.go shows what it can do in the guide.
//
// What an adapter answers is whole objects with the time of their state. Where the processor
// does not tell such a time, or only by the second, an adapter fetches the object whenever it
// is told of it, and takes the time at which it began to. It reads of a signed event what it is
// about (billing.Named), and fetches that when the event is stored and applied (Look).
package payment

import (
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

// Options configure a processor.
type Options struct {
	Processor product.Processor
	Mode      billing.Mode
	// SecretKey is what the calls are made by, WebhookSecret what hooks are signed by.
	SecretKey, WebhookSecret secret.String
	// ClientToken is what a page of ours is known by at the processor; only Paddle has one.
	ClientToken string
	// BaseURL is where the processor is in development; empty for its own address.
	BaseURL string
	// Host is the public address of this service.
	Host  string
	Clock outbound.Clock
	// Pause is before the first repetition of a call, Patience bounds a call with all its
	// repetitions; 0 for what is usual.
	Pause, Patience time.Duration
}

// Account is where sales are made.
func (o Options) Account() billing.Account {
	return billing.Account{Processor: o.Processor, Mode: o.Mode}
}
