package license

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/user"
)

// MostSeats is how many seats of one license may be taken at once, whatever its terms say.
const MostSeats = 1_000_000

// Errors of seats.
var (
	ErrNoSeat    = fault.New(fault.NotFound, "no such seat")
	ErrSeats     = fault.New(fault.Validation, "all seats of the license are taken: revoke a seat first")
	ErrSeatTwice = fault.New(fault.Validation, "provide either user_id or email, not both")
	ErrFloating  = fault.New(fault.Validation, "the license is floating: lease a seat instead (LICENSE.LEASE_ACQUIRE)")
)

type seatKind struct{}

func (seatKind) Prefix() string { return "sea" }

// SeatID orders seats; it is internal.
type SeatID = id.ID[seatKind]

// NewSeatID mints an identifier.
func NewSeatID(m id.Minter) SeatID { return id.New[seatKind](m) }

// Holder is the assignee of a named seat: an account, or an address without one.
type Holder struct {
	UserID user.ID
	Email  email.Address
}

// Check fails with ErrSeatTwice unless the holder is one of both.
func (h Holder) Check() error {
	if (h.UserID == "") == h.Email.IsZero() {
		return ErrSeatTwice
	}
	return nil
}

// SeatSnapshot is the stored state of a named seat.
type SeatSnapshot struct {
	ID        SeatID
	LicenseID ID
	Holder    Holder
	// UserID is the account of the seat: the holder, or the account with the holder's
	// address. It is internal, since it reveals whether an address has an account.
	UserID     user.ID
	AssignedAt time.Time
}

// Seat is a named seat of a license that is taken.
type Seat struct {
	aggregate.Root
	s SeatSnapshot
}

// Assign assigns a seat; seats is the number of assigned ones. It fails with
// ErrRevoked, ErrFloating and ErrSeats.
func Assign(of Snapshot, s SeatSnapshot, seats int, now time.Time) (*Seat, error) {
	switch {
	case of.Status == Revoked:
		return nil, ErrRevoked
	case of.Terms.Floating:
		return nil, ErrFloating
	case seats >= MostSeats || !Room(seats, of.Terms.MostSeats()):
		return nil, ErrSeats
	}
	s.LicenseID, s.AssignedAt = of.ID, now
	seat := &Seat{s: s}
	seat.Raise(SeatAssigned{about(of), s.Holder.UserID})
	return seat, nil
}

// RestoreSeat returns the seat that was stored.
func RestoreSeat(s SeatSnapshot, version int64) *Seat {
	return &Seat{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (s *Seat) Snapshot() SeatSnapshot { return s.s }

// Unassign takes the seat back. It is for the store to remove it.
func (s *Seat) Unassign(of Snapshot) { s.Raise(SeatUnassigned{about(of), s.s.Holder.UserID}) }
