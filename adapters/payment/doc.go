// Package payment holds what the adapters of all payment processors share: the HTTP client (Client), the
// verification of signed webhooks (SignatureFormat), and their configuration (Options).
//
// # Add a processor
//
//  1. A package adapters/payment/<processor> that implements billing.Processor of
//     ports/outbound/billing with the processor's library. The library uses Client as its
//     *http.Client, and its own retries are disabled; Keyed sets an idempotency key if the
//     library does not take one. An adapter that does without the library, as those of PayPal
//     and Polar do, sends its requests by Exchange, and its Decision says why. New(Options)
//     returns the processor; Mode returns test or live by the key, "" if the key does not
//     show it.
//  2. One field of BillingConfig and one line of its sellers in bootstrap/config/billing.go,
//     one line in processors of bootstrap/billing.go, and the variables in
//     adapters/pages/docs/configuration.md.
//  3. An upstream of the tests in test/fake/upstream/<processor>, by the processor's reference,
//     which implements upstream.Processor of test/contract/paying; one line in the list of
//     test/contract/paying/all_test.go lets the whole suite run over it, and one in
//     test/golden/processors_test.go shows what it can do in the guide.
//
// An adapter returns whole objects with the time of their state. If the processor does not send such a
// time, or only in seconds, the adapter fetches the object for each event about it, and uses the time at
// which it began to. From a signed event it only reads which object it is about (billing.ObjectRef); it
// fetches that when the stored event is applied (Look).
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
	// SecretKey authenticates calls to the processor, WebhookSecret its webhooks.
	SecretKey, WebhookSecret secret.String
	// ClientToken authenticates the checkout page in the browser; only Paddle has one.
	ClientToken string
	// BaseURL replaces the address of the processor in development; empty for its own address.
	BaseURL string
	// Host is the public address of this service.
	Host  string
	Clock outbound.Clock
	// Pause is the pause before the first retry of a call, and Patience bounds a call with all its
	// retries; 0 for the defaults.
	Pause, Patience time.Duration
}

// Account returns the processor and the mode.
func (o Options) Account() billing.Account {
	return billing.Account{Processor: o.Processor, Mode: o.Mode}
}
