package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Feed is the log of events in a total order: an event committed later never precedes
// one that was read, so a reader at a position has missed nothing.
type Feed interface {
	// Place appends newly committed events to the feed.
	Place(ctx context.Context) error
	// Refresh appends newly committed events for a reader, who does not wait for a store that
	// is busy with a change.
	Refresh(ctx context.Context) error
	// Read returns the events after a position.
	Read(ctx context.Context, query FeedQuery) (FeedPage, error)
	// After returns the position of an event. It fails with event.ErrNotFound if the
	// event is not in the feed, or not of the workspace.
	After(ctx context.Context, org workspace.ID, id event.ID) (Position, error)
	// Since returns the position before the first event at a time or later.
	Since(ctx context.Context, moment time.Time) (Position, error)
	// Find returns an event. It fails with event.ErrNotFound like After.
	Find(ctx context.Context, org workspace.ID, id event.ID) (event.Record, error)
}

// Position is a place in the feed; 0 is before the first event.
type Position int64

// FeedQuery selects events.
type FeedQuery struct {
	// Org selects the events of a workspace, and Kinds those of some kinds; zero values
	// do not narrow.
	Org   workspace.ID
	Kinds []event.Kind
	After Position
	Limit int
}

// FeedPage is a part of the feed.
type FeedPage struct {
	Events []event.Record
	// Position is the position up to which the feed was read. More reports whether there
	// are events after it.
	Position Position
	More     bool
}
