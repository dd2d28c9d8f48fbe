package webhooks

import (
	"context"
	"time"

	"gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/event"
)

// Chain stores the hash chain over the event feed.
type Chain interface {
	// Tail returns the last block; the zero block if there is none.
	Tail(ctx context.Context) (audit.Block, error)
	// Waiting returns at most so many events of the feed after a position, in order. It
	// returns none until there are as many, or the first of them happened at a time or
	// earlier. Of deleted events only the identifier is returned.
	Waiting(ctx context.Context, after int64, most int, by time.Time) ([]audit.Link, error)
	// Add appends a block, unless another replica did so meanwhile.
	Add(ctx context.Context, b audit.Block) error
	// Blocks returns blocks from a number on, in order, that contain events before a
	// time; a zero time matches any.
	Blocks(ctx context.Context, from int64, to time.Time, most int) ([]audit.Block, error)
	// FirstSince returns the number of the first block with events at a time or later;
	// 0 for none.
	FirstSince(ctx context.Context, from time.Time) (int64, error)
	// Now returns the current events of a block, and stray events: those since the
	// previous block that are neither in the feed nor in its queue, and those in the
	// feed within the block that the block does not contain.
	Now(ctx context.Context, before, b audit.Block) (links []audit.Link, strays []event.Record, err error)
}

// Heads stores signed heads of the chain.
type Heads interface {
	// LastHead returns the newest head; the zero head if there is none.
	LastHead(ctx context.Context) (audit.Head, error)
	// AddHead stores a head, unless its block has one.
	AddHead(ctx context.Context, h audit.Head) error
	// HeadsFrom returns the heads of the blocks in a range, and the newest head.
	HeadsFrom(ctx context.Context, from, to int64) ([]audit.Head, error)
}
