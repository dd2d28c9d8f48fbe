package license

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Kinds of events of seats, leases and meters.
const (
	KindSeatAssigned   event.Kind = "license_seat.assigned"
	KindSeatUnassigned event.Kind = "license_seat.unassigned"
	KindLeaseAcquired  event.Kind = "license_lease.acquired"
	KindLeaseReleased  event.Kind = "license_lease.released"
	KindUsageExceeded  event.Kind = "license.usage_exceeded"
)

// SeatAssigned is the content of license_seat.assigned.
type SeatAssigned struct {
	About
	HolderID user.ID `json:"seat_user_id,omitzero" doc:"The person who has the seat; absent: it was given to an address."`
}

// SeatUnassigned is the content of license_seat.unassigned.
type SeatUnassigned struct {
	About
	HolderID user.ID `json:"seat_user_id,omitzero" doc:"The person who had the seat; absent: an address had it."`
}

// LeaseAcquired is the content of license_lease.acquired.
type LeaseAcquired struct {
	About
	LeaseID LeaseID `json:"lease_id" doc:"The lease."`
}

// LeaseReleased is the content of license_lease.released.
type LeaseReleased struct {
	About
	LeaseID LeaseID `json:"lease_id" doc:"The lease whose seat is free."`
}

// UsageExceeded is the content of license.usage_exceeded.
type UsageExceeded struct {
	About
	Meter string `json:"meter" doc:"The meter."`
	Used  int64  `json:"used" doc:"What was used in the period."`
	Limit int64  `json:"limit" doc:"What may be."`
}

// Exceeded returns the event of usage beyond the limit of a meter; it is raised once in
// a period.
func Exceeded(of Snapshot, u Usage, limit int64) event.Data {
	return UsageExceeded{about(of), u.Meter, u.Used, limit}
}

func (SeatAssigned) Kind() event.Kind   { return KindSeatAssigned }
func (SeatUnassigned) Kind() event.Kind { return KindSeatUnassigned }
func (LeaseAcquired) Kind() event.Kind  { return KindLeaseAcquired }
func (LeaseReleased) Kind() event.Kind  { return KindLeaseReleased }
func (UsageExceeded) Kind() event.Kind  { return KindUsageExceeded }

// seatEvents describes these kinds for the catalog.
func seatEvents(about About) []event.Definition {
	const lease = LeaseID("lse_01jd7x9k2mf3q8v5t0abcdefgh")
	return []event.Definition{
		{Summary: "A named seat of a license was given to somebody.", Example: SeatAssigned{about, about.UserID}},
		{Summary: "A named seat of a license was taken back.", Example: SeatUnassigned{about, about.UserID}},
		{Summary: "A program leased a floating seat.", Example: LeaseAcquired{about, lease}},
		{Summary: "A floating seat was given back before its lease ran out.", Example: LeaseReleased{about, lease}},
		{Summary: "Uses of a meter passed their limit; this is told once in its period.", Example: UsageExceeded{about, "exports", 10, 10}},
	}
}
