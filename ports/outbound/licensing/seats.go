package licensing

import (
	"context"
	"time"

	"gatehouse.internal/domain/licence"
)

// Seats stores the named seats of licences, inside a unit of work that holds the licence
// (Licences.ByID).
type Seats interface {
	// Of reads the seat that was given to somebody. It fails with licence.ErrNoSeat.
	Of(ctx context.Context, of licence.ID, to licence.Holder) (*licence.Seat, error)
	// Count is how many are taken.
	Count(ctx context.Context, of licence.ID) (int, error)
	Save(ctx context.Context, s *licence.Seat) error
	Delete(ctx context.Context, s *licence.Seat) error
}

// SeatDirectory reads named seats, outside any transaction.
type SeatDirectory interface {
	// List returns the seats of a licence that come after one, newest first; before is ""
	// for all of them.
	List(ctx context.Context, of licence.ID, before licence.SeatID, limit int) ([]licence.SeatSnapshot, error)
}

// Leases stores the leases of floating seats, inside a unit of work that holds the licence
// (Licences.ByID).
type Leases interface {
	// ByID fails with licence.ErrNoLease.
	ByID(ctx context.Context, id licence.LeaseID) (*licence.Lease, error)
	// Of is ByID by who has it.
	Of(ctx context.Context, of licence.ID, machine licence.Fingerprint, person string) (*licence.Lease, error)
	// Held counts the leases of a licence that have not run out.
	Held(ctx context.Context, of licence.ID, now time.Time) (int, error)
	Save(ctx context.Context, l *licence.Lease) error
	Delete(ctx context.Context, l *licence.Lease) error
	// End removes all leases of a machine.
	End(ctx context.Context, of licence.ID, machine licence.Fingerprint) error
}

// LeaseDirectory reads leases, outside any transaction.
type LeaseDirectory interface {
	// List returns the leases of a licence that have not run out, newest first.
	List(ctx context.Context, of licence.ID, now time.Time, limit int) ([]licence.LeaseSnapshot, error)
	// Held counts them.
	Held(ctx context.Context, of licence.ID, now time.Time) (int, error)
}

// Meters stores what was used of licences, inside a unit of work that holds the licence
// (Licences.ByID).
type Meters interface {
	// Used reads how much of a meter was used in a period.
	Used(ctx context.Context, of licence.ID, meter, period string) (licence.Usage, error)
	Save(ctx context.Context, of licence.ID, u licence.Usage) error
	// Counted reports whether a use of that name was noted, and holds on.
	Counted(ctx context.Context, of licence.ID, name string, now time.Time) (bool, error)
	// Note notes a use by its name, for so long.
	Note(ctx context.Context, of licence.ID, name string, until time.Time) error
}
