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
	EndedAt time.Time `json:"ended_at" doc:"Time at which the license ended, including its grace period."`
}

// LeaseExpired is the content of license_lease.expired.
type LeaseExpired struct {
	About
	LeaseID LeaseID   `json:"lease_id" doc:"ID of the expired lease. Its seat is free again."`
	EndedAt time.Time `json:"ended_at" doc:"Time at which the lease expired."`
}

// MachineLapsed is the content of machine.lapsed.
type MachineLapsed struct {
	About
	MachineID MachineID `json:"machine_id" doc:"ID of the machine that sent no heartbeat in time. Its activation is free again."`
	EndedAt   time.Time `json:"ended_at" doc:"Time at which the activation became free."`
}

func (ExpiredEvent) Kind() event.Kind  { return KindExpired }
func (LeaseExpired) Kind() event.Kind  { return KindLeaseExpired }
func (MachineLapsed) Kind() event.Kind { return KindLapsed }

// endedEvents describes these kinds for the catalog.
func endedEvents(about About, machine MachineID) []event.Definition {
	const lease = LeaseID("lse_01jd7x9k2mf3q8v5t0abcdefgh")
	ended := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return []event.Definition{
		{Summary: "A license expired, and its grace period is over.", Example: ExpiredEvent{about, ended}},
		{Summary: "The lease of a floating seat expired.", Example: LeaseExpired{about, lease, ended}},
		{Summary: "A machine lapsed because it sent no heartbeat in time.", Example: MachineLapsed{about, machine, ended}},
	}
}
