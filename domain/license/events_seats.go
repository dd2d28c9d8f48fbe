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
	HolderID user.ID `json:"seat_user_id,omitzero" doc:"Account that holds the seat. Omitted if the seat was assigned to an email address."`
}

// SeatUnassigned is the content of license_seat.unassigned.
type SeatUnassigned struct {
	About
	HolderID user.ID `json:"seat_user_id,omitzero" doc:"Account that held the seat. Omitted if an email address held it."`
}

// LeaseAcquired is the content of license_lease.acquired.
type LeaseAcquired struct {
	About
	LeaseID LeaseID `json:"lease_id" doc:"ID of the lease."`
}

// LeaseReleased is the content of license_lease.released.
type LeaseReleased struct {
	About
	LeaseID LeaseID `json:"lease_id" doc:"ID of the released lease. Its seat is free again."`
}

// UsageExceeded is the content of license.usage_exceeded.
type UsageExceeded struct {
	About
	Meter string `json:"meter" doc:"Name of the meter."`
	Used  int64  `json:"used" doc:"Usage in the period."`
	Limit int64  `json:"limit" doc:"Usage limit per period."`
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
		{Summary: "A named seat of a license was assigned.", Example: SeatAssigned{about, about.UserID}},
		{Summary: "A named seat of a license was unassigned.", Example: SeatUnassigned{about, about.UserID}},
		{Summary: "A floating seat was leased.", Example: LeaseAcquired{about, lease}},
		{Summary: "A floating seat was released before its lease expired.", Example: LeaseReleased{about, lease}},
		{Summary: "Usage of a meter exceeded its limit, which is reported once per period.", Example: UsageExceeded{about, "exports", 10, 10}},
	}
}
