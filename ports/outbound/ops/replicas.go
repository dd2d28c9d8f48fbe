package ops

import (
	"context"
	"time"
)

// Replicas stores which replicas of the service run on the store, outside any unit of work.
type Replicas interface {
	// Announce notes that a replica is alive, whose clock shows now, and forgets those that were
	// seen before a time. LastSeenAt and Skew are the store's to fill in, by its own clock where
	// it has one.
	Announce(ctx context.Context, replica Replica, now, forget time.Time) error
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
	// StartedAt is by the replica's own clock, LastSeenAt by the store's.
	StartedAt, LastSeenAt time.Time
	// Skew is how far the replica's clock was ahead of the store's when it was seen; 0 where the
	// store has none.
	Skew time.Duration
}
