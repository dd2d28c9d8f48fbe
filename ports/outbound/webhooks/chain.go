package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
)

// Chain stores the hash chain over the feed.
type Chain interface {
	// Tail returns the last block; the zero block before there is one.
	Tail(ctx context.Context) (audit.Block, error)
	// Waiting returns events of the feed behind a position, in order and at most so many: none
	// before there are so many, or the first of them happened at a time or earlier. Of one that
	// is gone there is the identifier.
	Waiting(ctx context.Context, after int64, most int, by time.Time) ([]audit.Link, error)
	// Add stores a block behind the last one, unless somebody else did so meanwhile.
	Add(ctx context.Context, b audit.Block) error
	// Blocks returns blocks from a number on, in order, those that have events of before a time;
	// a zero time is any.
	Blocks(ctx context.Context, from int64, to time.Time, most int) ([]audit.Block, error)
	// FirstSince returns the number of the first block with events of a time or later, 0 for none.
	FirstSince(ctx context.Context, from time.Time) (int64, error)
	// Now returns the events of a block as they are now, and events since the block before that
	// neither the feed nor its queue knows, or the feed within the block and the block does not.
	Now(ctx context.Context, before, b audit.Block) (links []audit.Link, strays []event.Record, err error)
}

// Heads stores signed heads of the chain.
type Heads interface {
	// LastHead returns the newest head; the zero head before there is one.
	LastHead(ctx context.Context) (audit.Head, error)
	// AddHead stores a head, unless there is one of its block.
	AddHead(ctx context.Context, h audit.Head) error
	// HeadsFrom returns the heads of blocks from a number up to another one, and the newest head.
	HeadsFrom(ctx context.Context, from, to int64) ([]audit.Head, error)
}
