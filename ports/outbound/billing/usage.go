package billing

import (
	"context"
	"time"

	"gatehouse.internal/domain/billing"
)

// Usage stores what was used of metered subscriptions, inside a unit of work that holds the
// checkout.
type Usage interface {
	// Used reads the counter of a meter in a period; what was never used is at 0.
	Used(ctx context.Context, u billing.Usage) (billing.Usage, error)
	// Note stores the name of a use until a time, and reports whether it is new.
	Note(ctx context.Context, of billing.SubscriptionID, name string, until time.Time) (bool, error)
	// Save stores a counter; the processor is told of it at a time, or sooner where that was
	// stored before, or never where the time is zero.
	Save(ctx context.Context, u billing.Usage, report time.Time) error
	// Due reads counters of which a processor is to be told by now, at most so many, and
	// holds off whoever else would tell it.
	Due(ctx context.Context, most int, now time.Time) ([]billing.Usage, error)
}

// UsageDirectory reads what was used, outside any transaction.
type UsageDirectory interface {
	// List returns the counters of the periods that began from a time until before another,
	// by their period and meter; zero times do not narrow.
	List(ctx context.Context, of billing.SubscriptionID, from, until time.Time) ([]billing.Usage, error)
}
