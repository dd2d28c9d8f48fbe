package outbound

import (
	"context"
	"time"

	"gatehouse.internal/domain/challenge"
)

// Links looks at what links are for without using them, outside any transaction.
type Links interface {
	// Find gives the challenge of one of these kinds that has not ended; it fails with
	// challenge.ErrGone.
	Find(ctx context.Context, digest string, now time.Time, kinds ...challenge.Kind) (challenge.Challenge, error)
}
