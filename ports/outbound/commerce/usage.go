package commerce

import (
	"context"
	"time"

	"gatehouse.internal/domain/billing"
)

// Usage stores the usage of metered subscriptions, inside a unit of work that holds the
// checkout.
type Usage interface {
	// Used returns the counter of a meter in a period, 0 if it was never used.
	Used(ctx context.Context, u billing.Usage) (billing.Usage, error)
	// Note stores the idempotency key of a use until a time, and reports whether it is
	// new.
	Note(ctx context.Context, of billing.SubscriptionID, name string, until time.Time) (bool, error)
	// Save stores a counter. It is reported to the processor at a time, at the latest;
	// never if that is zero.
	Save(ctx context.Context, u billing.Usage, report time.Time) error
	// Due returns and locks at most so many counters that are due to be reported.
	Due(ctx context.Context, most int, now time.Time) ([]billing.Usage, error)
}

// UsageDirectory reads usage, outside any transaction.
type UsageDirectory interface {
	// List returns the counters of the periods that begin in [from, until), by period
	// and meter; zero times do not narrow.
	List(ctx context.Context, of billing.SubscriptionID, from, until time.Time) ([]billing.Usage, error)
}
