package licensing

import (
	"context"
	"time"

	"gatehouse.internal/domain/licence"
)

// Seats stores the named seats of licences, inside a unit of work that holds the licence
// (Licences.ByID).
type Seats interface {
	// Of returns the seat assigned to a holder. It fails with licence.ErrNoSeat.
	Of(ctx context.Context, of licence.ID, to licence.Holder) (*licence.Seat, error)
	// Count returns the number of assigned seats.
	Count(ctx context.Context, of licence.ID) (int, error)
	Save(ctx context.Context, s *licence.Seat) error
	Delete(ctx context.Context, s *licence.Seat) error
}

// SeatDirectory reads named seats, outside any transaction.
type SeatDirectory interface {
	// List returns the seats of a licence, newest first, after the seat before; "" for
	// the first page.
	List(ctx context.Context, of licence.ID, before licence.SeatID, limit int) ([]licence.SeatSnapshot, error)
}

// Leases stores the leases of floating seats, inside a unit of work that holds the licence
// (Licences.ByID).
type Leases interface {
	// ByID returns a lease. It fails with licence.ErrNoLease.
	ByID(ctx context.Context, id licence.LeaseID) (*licence.Lease, error)
	// Of is like ByID, by machine and person.
	Of(ctx context.Context, of licence.ID, machine licence.Fingerprint, person string) (*licence.Lease, error)
	// Held returns the number of leases of a licence that have not expired.
	Held(ctx context.Context, of licence.ID, now time.Time) (int, error)
	Save(ctx context.Context, l *licence.Lease) error
	Delete(ctx context.Context, l *licence.Lease) error
	// End deletes all leases of a machine.
	End(ctx context.Context, of licence.ID, machine licence.Fingerprint) error
}

// LeaseDirectory reads leases, outside any transaction.
type LeaseDirectory interface {
	// List returns the leases of a licence that have not expired, newest first.
	List(ctx context.Context, of licence.ID, now time.Time, limit int) ([]licence.LeaseSnapshot, error)
	// Held returns their number.
	Held(ctx context.Context, of licence.ID, now time.Time) (int, error)
}

// Meters stores metered usage of licences, inside a unit of work that holds the licence
// (Licences.ByID).
type Meters interface {
	// Used returns the usage of a meter in a period.
	Used(ctx context.Context, of licence.ID, meter, period string) (licence.Usage, error)
	Save(ctx context.Context, of licence.ID, u licence.Usage) error
	// Counted reports whether a use with an idempotency key is recorded.
	Counted(ctx context.Context, of licence.ID, name string, now time.Time) (bool, error)
	// Note records the idempotency key of a use, until a time.
	Note(ctx context.Context, of licence.ID, name string, until time.Time) error
}
