package licensing

import (
	"context"
	"time"

	"gatehouse.internal/domain/licence"
)

// Transfers stores the moves of licences between machines, and the places that were freed
// by key, inside a unit of work that holds the licence (Licences.ByID).
type Transfers interface {
	// Since counts the transfers of a licence after a time.
	Since(ctx context.Context, of licence.ID, after time.Time) (int, error)
	Add(ctx context.Context, t licence.Transfer) error
	// Vacate notes that a machine gave up its place by key, for so long.
	Vacate(ctx context.Context, of licence.ID, machine licence.Fingerprint, until time.Time) error
	// Return forgets that a machine gave up its place, and reports whether it was noted.
	Return(ctx context.Context, of licence.ID, machine licence.Fingerprint, now time.Time) (bool, error)
	// Vacant counts the machines that gave up their places, and Refill forgets the first of them.
	Vacant(ctx context.Context, of licence.ID, now time.Time) (int, error)
	Refill(ctx context.Context, of licence.ID) error
}
