package licensing

import (
	"context"
	"time"

	"gatehouse.internal/domain/license"
)

// Seats stores the named seats of licenses, inside a unit of work that holds the license
// (Licenses.ByID).
type Seats interface {
	// Of returns the seat assigned to a holder. It fails with license.ErrNoSeat.
	Of(ctx context.Context, of license.ID, to license.Holder) (*license.Seat, error)
	// Count returns the number of assigned seats.
	Count(ctx context.Context, of license.ID) (int, error)
	Save(ctx context.Context, s *license.Seat) error
	Delete(ctx context.Context, s *license.Seat) error
}

// SeatDirectory reads named seats, outside any transaction.
type SeatDirectory interface {
	// List returns the seats of a license, newest first, after the seat before; "" for
	// the first page.
	List(ctx context.Context, of license.ID, before license.SeatID, limit int) ([]license.SeatSnapshot, error)
}

// Leases stores the leases of floating seats, inside a unit of work that holds the license
// (Licenses.ByID).
type Leases interface {
	// ByID returns a lease. It fails with license.ErrNoLease.
	ByID(ctx context.Context, id license.LeaseID) (*license.Lease, error)
	// Of is like ByID, by machine and person.
	Of(ctx context.Context, of license.ID, machine license.Fingerprint, person string) (*license.Lease, error)
	// Held returns the number of leases of a license that have not expired.
	Held(ctx context.Context, of license.ID, now time.Time) (int, error)
	Save(ctx context.Context, l *license.Lease) error
	Delete(ctx context.Context, l *license.Lease) error
	// End deletes all leases of a machine.
	End(ctx context.Context, of license.ID, machine license.Fingerprint) error
}

// LeaseDirectory reads leases, outside any transaction.
type LeaseDirectory interface {
	// List returns the leases of a license that have not expired, newest first.
	List(ctx context.Context, of license.ID, now time.Time, limit int) ([]license.LeaseSnapshot, error)
	// Held returns their number.
	Held(ctx context.Context, of license.ID, now time.Time) (int, error)
}

// Meters stores metered usage of licenses, inside a unit of work that holds the license
// (Licenses.ByID).
type Meters interface {
	// Used returns the usage of a meter in a period.
	Used(ctx context.Context, of license.ID, meter, period string) (license.Usage, error)
	Save(ctx context.Context, of license.ID, u license.Usage) error
	// Counted reports whether a use with an idempotency key is recorded.
	Counted(ctx context.Context, of license.ID, name string, now time.Time) (bool, error)
	// Note records the idempotency key of a use, until a time.
	Note(ctx context.Context, of license.ID, name string, until time.Time) error
}
