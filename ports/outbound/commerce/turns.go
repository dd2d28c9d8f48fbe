package commerce

import (
	"context"
	"time"
)

// Turns lets one caller at a time, of all replicas, make something at a processor.
type Turns interface {
	// Take takes the turn of a subject until a time, and reports false while somebody
	// else has it.
	Take(ctx context.Context, subject, holder string, now, until time.Time) (bool, error)
	// Leave ends the turn of a holder.
	Leave(ctx context.Context, subject, holder string) error
}
