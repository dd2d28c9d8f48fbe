package license

import (
	"time"

	"gatehouse.internal/domain/event"
)

// Kinds of events that follow from the passage of time.
const (
	KindExpired      event.Kind = "license.expired"
	KindLeaseExpired event.Kind = "license_lease.expired"
	KindLapsed       event.Kind = "machine.lapsed"
)

// ExpiredEvent is the content of license.expired.
type ExpiredEvent struct {
	About
	EndedAt time.Time `json:"ended_at" doc:"When it was over, its days of grace included."`
}

// LeaseExpired is the content of license_lease.expired.
type LeaseExpired struct {
	About
	LeaseID LeaseID   `json:"lease_id" doc:"The lease whose seat is free."`
	EndedAt time.Time `json:"ended_at" doc:"When it ran out."`
}

// MachineLapsed is the content of machine.lapsed.
type MachineLapsed struct {
	About
	MachineID MachineID `json:"machine_id" doc:"The machine that was silent for too long; its place is free."`
	EndedAt   time.Time `json:"ended_at" doc:"When its place became free."`
}

func (ExpiredEvent) Kind() event.Kind  { return KindExpired }
func (LeaseExpired) Kind() event.Kind  { return KindLeaseExpired }
func (MachineLapsed) Kind() event.Kind { return KindLapsed }

// endedEvents describes these kinds for the catalog.
func endedEvents(about About, machine MachineID) []event.Definition {
	const lease = LeaseID("lse_01jd7x9k2mf3q8v5t0abcdefgh")
	ended := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return []event.Definition{
		{Summary: "A license expired, and its days of grace are over.", Example: ExpiredEvent{about, ended}},
		{Summary: "The lease of a floating seat ran out.", Example: LeaseExpired{about, lease, ended}},
		{Summary: "A machine lapsed: it was silent for too long.", Example: MachineLapsed{about, machine, ended}},
	}
}
