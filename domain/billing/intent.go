package billing

import (
	"time"
)

// IntentKind is a kind of call to a processor.
type IntentKind string

// The kinds of calls.
const (
	IntentCheckout IntentKind = "checkout"
	IntentCancel   IntentKind = "cancel"
	IntentResume   IntentKind = "resume"
	IntentRefund   IntentKind = "refund"
	IntentComplete IntentKind = "complete"
	IntentUpdate   IntentKind = "update"
	IntentCustomer IntentKind = "customer"
	IntentUsage    IntentKind = "usage"
)

// CallTime bounds one call to a processor, with all that it is repeated.
const CallTime = 10 * time.Second

// Lease is how long a replica leases a call or a processor event: longer than
// processing takes.
const Lease = time.Minute

// Intent is a call that is to be made once, whatever happens.
type Intent struct {
	// ID is the idempotency key of the call.
	ID   IntentID
	Kind IntentKind
	// CheckoutID is the sale, and Subject the object of it.
	CheckoutID CheckoutID
	Subject    string
	Account    Account
	// AtPeriodEnd is that of a cancellation.
	AtPeriodEnd bool
	// Plan is the target state of an update, or reported usage.
	Plan      Plan
	Attempts  int
	CreatedAt time.Time
}

// Plan is the target state of a subscription, or its usage.
type Plan struct {
	PriceID  PriceID `json:"price_id,omitzero"`
	Quantity int64   `json:"quantity,omitzero"`
	// Coupon is the code of the coupon reserved by the change, and Discount its
	// discount; empty to keep the current one.
	Coupon    Code      `json:"coupon,omitzero"`
	Discount  Discount  `json:"discount,omitzero"`
	Proration Proration `json:"proration,omitzero"`
	// Used is how much of a meter was used since the report before, Total in the period that
	// At lies in.
	Meter string    `json:"meter,omitzero"`
	Used  int64     `json:"used,omitzero"`
	Total int64     `json:"total,omitzero"`
	At    time.Time `json:"at,omitzero"`
}

// Retry returns the pause after so many attempts.
func Retry(attempts int) time.Duration {
	const soon, later, much = 30 * time.Second, 2 * time.Minute, 10 * time.Minute
	retries := []time.Duration{5 * time.Second, soon, later, much, time.Hour}
	return retries[min(max(attempts, 1), len(retries))-1]
}
