package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/loginevent"
)

// LoginFailures counts failed logins of all addresses, inside a unit of work.
type LoginFailures interface {
	// Count adds a failure to a minute and returns its total.
	Count(ctx context.Context, minute time.Time) (int, error)
	// Total returns the sum of the failures in [from, to).
	Total(ctx context.Context, from, to time.Time) (int, error)
	// Spike returns and locks the spike detector's state.
	Spike(ctx context.Context) (loginevent.Spike, error)
	// SetSpike stores the state, and increments the instance revision.
	SetSpike(ctx context.Context, spike loginevent.Spike) error
}
