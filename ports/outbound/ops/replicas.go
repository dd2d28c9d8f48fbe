package ops

import (
	"context"
	"time"

	"gatehouse.internal/domain/audit"
)

// Replicas stores which replicas of the service run on the store, outside any unit of work.
type Replicas interface {
	// Announce stores that a replica is alive, whose clock shows now, and deletes those that were
	// not seen for so long. LastSeenAt and Skew are filled in by the clock of the store where it
	// has one.
	Announce(ctx context.Context, replica Replica, now time.Time, forget time.Duration) error
	// Leave forgets a replica that stops.
	Leave(ctx context.Context, id string) error
	// List returns the replicas that were seen since a time, the oldest first.
	List(ctx context.Context, since time.Time) ([]Replica, error)
}

// Replica is one process of the service.
type Replica struct {
	// ID names the process: its host, and what tells it from others there.
	ID      string
	Version string
	// AuditFormat is the newest format of blocks of the audit chain that it verifies.
	AuditFormat audit.Format
	// StartedAt is by the replica's own clock, LastSeenAt by the store's.
	StartedAt, LastSeenAt time.Time
	// Skew is how far the replica's clock was ahead of the store's when it was seen; 0 where the
	// store has none.
	Skew time.Duration
}
