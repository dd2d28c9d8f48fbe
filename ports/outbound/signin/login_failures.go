package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/login"
)

// LoginFailures counts failing logins over all addresses, inside a unit of work.
type LoginFailures interface {
	// Count adds one failure to the minute and returns its total.
	Count(ctx context.Context, minute time.Time) (int, error)
	// Total sums the failures of past minutes in [from, to).
	Total(ctx context.Context, from, to time.Time) (int, error)
	// Spike reads the guard, and holds off every other transaction that does so
	// until this one ends.
	Spike(ctx context.Context) (login.Spike, error)
	// SetSpike stores the guard; this moves the instance revision.
	SetSpike(ctx context.Context, spike login.Spike) error
}
