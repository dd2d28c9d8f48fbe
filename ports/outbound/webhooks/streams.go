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
	// ByID returns a stream. It fails with auditstream.ErrNotFound.
	ByID(ctx context.Context, id auditstream.ID) (*auditstream.Stream, error)
	// Count returns the number of streams of a workspace, or of the instance. It blocks
	// concurrent calls until the transaction ends.
	Count(ctx context.Context, org workspace.ID) (int, error)
	Save(ctx context.Context, s *auditstream.Stream) error
	Delete(ctx context.Context, s *auditstream.Stream) error
}

// StreamDirectory reads streams, outside any transaction.
type StreamDirectory interface {
	// List returns the streams of a workspace, or of the instance, newest first.
	List(ctx context.Context, org workspace.ID) ([]auditstream.Snapshot, error)
	// Due returns streams that have something to do.
	Due(ctx context.Context, now time.Time, most int) ([]auditstream.ID, error)
	// Last returns the last position in the feed.
	Last(ctx context.Context) (Position, error)
	// Next returns the time of the first event that a stream has not sent; zero for
	// none.
	Next(ctx context.Context, s auditstream.Snapshot) (time.Time, error)
}

// Batch is a batch of events, one JSON object on each line.
type Batch struct {
	// ID is the same if the batch is sent again.
	ID     string
	Events []event.Record
	Lines  [][]byte
}

// Shipper sends batches to collectors. It rejects addresses in private networks, does
// not follow redirects, and limits time and size.
type Shipper interface {
	// CheckStream fails for a forbidden address, with a message for its owner.
	CheckStream(kind auditstream.Kind, address string) error
	// Ship sends a batch. It fails with a message for its owner unless the collector
	// accepted the batch.
	Ship(ctx context.Context, to auditstream.Snapshot, batch Batch, at time.Time) error
}
