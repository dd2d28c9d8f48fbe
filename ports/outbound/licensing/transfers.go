package licensing

import (
	"context"
	"time"

	"gatehouse.internal/domain/license"
)

// Transfers stores transfers of licenses between machines, and places vacated with a
// key, inside a unit of work that holds the license (Licenses.ByID).
type Transfers interface {
	// Since returns the number of transfers of a license after a time.
	Since(ctx context.Context, of license.ID, after time.Time) (int, error)
	Add(ctx context.Context, t license.Transfer) error
	// Vacate records until a time that a machine vacated its place with a key.
	Vacate(ctx context.Context, of license.ID, machine license.Fingerprint, until time.Time) error
	// Return deletes the record that a machine vacated its place, and reports whether
	// there was one.
	Return(ctx context.Context, of license.ID, machine license.Fingerprint, now time.Time) (bool, error)
	// Vacant returns the number of vacated places, and Refill deletes the oldest.
	Vacant(ctx context.Context, of license.ID, now time.Time) (int, error)
	Refill(ctx context.Context, of license.ID) error
}
