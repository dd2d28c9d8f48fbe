package billing

import (
	"time"
)

// IntentKind is what a processor is to be asked for.
type IntentKind string

// The kinds of calls.
const (
	IntentCheckout IntentKind = "checkout"
	IntentCancel   IntentKind = "cancel"
	IntentResume   IntentKind = "resume"
	IntentRefund   IntentKind = "refund"
)

// Lease is how long whoever makes a call, or applies what was told, has it alone: longer
// than that takes.
const Lease = time.Minute

// Intent is a call that is to be made once, whatever happens.
type Intent struct {
	// ID is the idempotency key of the call.
	ID   IntentID
	Kind IntentKind
	// CheckoutID is the sale, Subject what of it is meant.
	CheckoutID CheckoutID
	Subject    string
	Account    Account
	// AtPeriodEnd is that of a cancellation.
	AtPeriodEnd bool
	Attempts    int
	CreatedAt   time.Time
}

// Retry is the pause after so many attempts.
func Retry(attempts int) time.Duration {
	const soon, later, much = 30 * time.Second, 2 * time.Minute, 10 * time.Minute
	retries := []time.Duration{5 * time.Second, soon, later, much, time.Hour}
	return retries[min(max(attempts, 1), len(retries))-1]
}
