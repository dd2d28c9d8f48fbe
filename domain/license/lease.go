package license

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
)

// ErrNoLease is returned if the lease does not exist.
var ErrNoLease = fault.New(fault.NotFound, "no such lease")

// LeaseKept is how long a lease is kept that ran out: until then it may be renewed.
const LeaseKept = 7 * day

type leaseKind struct{}

func (leaseKind) Prefix() string { return "lse" }

// LeaseID identifies a lease.
type LeaseID = id.ID[leaseKind]

// NewLeaseID mints an identifier.
func NewLeaseID(m id.Minter) LeaseID { return id.New[leaseKind](m) }

// LeaseSnapshot is the stored state of a lease.
type LeaseSnapshot struct {
	ID        LeaseID
	LicenseID ID
	// Machine and User are the holder, as reported by the program; User may be "".
	Machine Fingerprint
	User    string
	// Minutes is for how long it is taken.
	Minutes    int
	AcquiredAt time.Time
	// EndsAt is until when the seat is taken.
	EndsAt time.Time
}

// Lease is a floating seat of a license that is taken for a while.
type Lease struct {
	aggregate.Root
	s LeaseSnapshot
}

// Acquire takes a floating seat.
func Acquire(of Snapshot, s LeaseSnapshot, now time.Time) *Lease {
	s.LicenseID = of.ID
	l := &Lease{s: s}
	l.Renew(of, s.Minutes, now)
	return l
}

// RestoreLease returns the lease that was stored.
func RestoreLease(s LeaseSnapshot, version int64) *Lease {
	return &Lease{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (l *Lease) Snapshot() LeaseSnapshot { return l.s }

// Renew extends the lease to at least so many minutes from now. If it had expired, it
// is acquired anew, with an event.
func (l *Lease) Renew(of Snapshot, minutes int, now time.Time) {
	if !l.s.Held(now) {
		l.s.AcquiredAt = now
		l.Raise(LeaseAcquired{about(of), l.s.ID})
	}
	l.s.Minutes = minutes
	if until := now.Add(time.Duration(minutes) * time.Minute); until.After(l.s.EndsAt) {
		l.s.EndsAt = until
	}
}

// Release raises the event of a release. The store deletes the lease.
func (l *Lease) Release(of Snapshot) { l.Raise(LeaseReleased{about(of), l.s.ID}) }

// Held reports whether the lease has not run out.
func (s LeaseSnapshot) Held(now time.Time) bool { return now.Before(s.EndsAt) }
