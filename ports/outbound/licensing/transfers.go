package licensing

import (
	"context"
	"time"

	"gatehouse.internal/domain/licence"
)

// Transfers stores transfers of licences between machines, and places vacated with a
// key, inside a unit of work that holds the licence (Licences.ByID).
type Transfers interface {
	// Since returns the number of transfers of a licence after a time.
	Since(ctx context.Context, of licence.ID, after time.Time) (int, error)
	Add(ctx context.Context, t licence.Transfer) error
	// Vacate records until a time that a machine vacated its place with a key.
	Vacate(ctx context.Context, of licence.ID, machine licence.Fingerprint, until time.Time) error
	// Return deletes the record that a machine vacated its place, and reports whether
	// there was one.
	Return(ctx context.Context, of licence.ID, machine licence.Fingerprint, now time.Time) (bool, error)
	// Vacant returns the number of vacated places, and Refill deletes the oldest.
	Vacant(ctx context.Context, of licence.ID, now time.Time) (int, error)
	Refill(ctx context.Context, of licence.ID) error
}
