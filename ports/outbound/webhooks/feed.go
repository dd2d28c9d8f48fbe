package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Feed is the log of events in one order, which those that are committed later never
// come before: who read up to a position has missed nothing.
type Feed interface {
	// Place takes the events that were committed meanwhile into the feed.
	Place(ctx context.Context) error
	// Read returns what follows a position.
	Read(ctx context.Context, query FeedQuery) (FeedPage, error)
	// After returns the position of an event. It fails with event.ErrNotFound for one that is
	// not in the feed, or not of the workspace.
	After(ctx context.Context, org workspace.ID, id event.ID) (Position, error)
	// Since returns the position before the first event that happened at a time or later.
	Since(ctx context.Context, moment time.Time) (Position, error)
	// Find returns an event. It fails with event.ErrNotFound as After does.
	Find(ctx context.Context, org workspace.ID, id event.ID) (event.Record, error)
}

// Position is a place in the feed; 0 is before the first event.
type Position int64

// FeedQuery says which events are wanted.
type FeedQuery struct {
	// Org narrows to those of a workspace, Kinds to these kinds; zero values do not narrow.
	Org   workspace.ID
	Kinds []event.Kind
	After Position
	Limit int
}

// FeedPage is a part of the feed.
type FeedPage struct {
	Events []event.Record
	// Seen is the position up to which the feed was looked at, More reports whether there is
	// something behind it.
	Seen Position
	More bool
}
