package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/domain/auditstream"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Streams stores streams of the event log, inside a unit of work.
type Streams interface {
	// ByID fails with auditstream.ErrNotFound.
	ByID(ctx context.Context, id auditstream.ID) (*auditstream.Stream, error)
	// Count is how many streams a workspace, or the instance, has. Until the unit ends nobody
	// else counts them.
	Count(ctx context.Context, org workspace.ID) (int, error)
	Save(ctx context.Context, s *auditstream.Stream) error
	Delete(ctx context.Context, s *auditstream.Stream) error
}

// StreamDirectory finds streams for reading, outside any transaction.
type StreamDirectory interface {
	// List returns those of a workspace, or of the instance, newest first.
	List(ctx context.Context, org workspace.ID) ([]auditstream.Snapshot, error)
	// Due returns those that have something to be done.
	Due(ctx context.Context, now time.Time, most int) ([]auditstream.ID, error)
	// Last returns the last position in the feed.
	Last(ctx context.Context) (Position, error)
	// Next returns when the first event happened that a stream has not sent; zero where it has all.
	Next(ctx context.Context, s auditstream.Snapshot) (time.Time, error)
}

// Batch is what is sent at once: each line is one event as JSON.
type Batch struct {
	// ID is the same when the batch is sent again.
	ID     string
	Events []event.Record
	Lines  [][]byte
}

// Shipper speaks to collectors. It refuses addresses within private networks, follows no
// redirect, and bounds time and what it reads.
type Shipper interface {
	// CheckStream fails for an address that nothing may be sent to, in words that its owner can
	// act on.
	CheckStream(kind auditstream.Kind, address string) error
	// Ship sends a batch; it fails with what its owner may read unless the collector took it.
	Ship(ctx context.Context, to auditstream.Snapshot, batch Batch, at time.Time) error
}
