package outbound

import (
	"context"
	"time"

	"gatehouse.internal/domain/user"
)

// Devices stores the devices that skip the second factor, inside a unit of work.
type Devices interface {
	// Recognise tells whether a user's remembered device holds a token of this
	// digest, and notes that it was used.
	Recognise(ctx context.Context, owner user.ID, digest string, now time.Time) (bool, error)
}
