package machines

import (
	"context"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/workspace"
)

// IssuedTokens ends tokens of apps, inside a unit of work. It tells nobody: the
// events are recorded by whoever asks.
//
// # Decision: all tokens of an app end by one time on the app
//
// Context: an app may have millions of live tokens, and an incident wants them
// ended now, also those whose issue is under way on another replica.
//
// Choice: apps.revoked_before, which every look-up of a token reads with its app.
// It moves forward alone, and no rows of tokens are written. It belongs to
// RevokeAll: whoever saves an app leaves the column as it is, and the version of
// the app does not move. Tokens of one app that are revoked singly have
// revoked_at of their own; those for an audience end when it moves (Resources).
//
// What would change our mind: a need to end tokens by anything but their app, its
// audience and the time of issue.
type IssuedTokens interface {
	// Revoke ends one token. It fails with m2m.ErrNotFound.
	Revoke(ctx context.Context, jti string, now time.Time) (m2m.Ended, error)
	// RevokeAll ends the tokens of an app that were issued before a time, and counts
	// those of them that were live. With a time of now or later it ends all there
	// are, also those of a replica whose clock is ahead. An app that is gone has none.
	RevokeAll(ctx context.Context, of app.ID, before, now time.Time) (count int, err error)
}

// TokenIssues stores tokens that were issued.
type TokenIssues interface {
	// Issue stores a token with the runs of flows that decided about it, none of which
	// failed, and the events of it. It answers when all are durable.
	// Tokens that wait together share one commit, unless there is a transaction
	// around the command. It fails with aggregate.ErrConflict when the app or the
	// audience was changed or deleted since it was read: then nothing was stored.
	Issue(ctx context.Context, token m2m.Issued, decidedBy []flow.Run, happened ...event.Data) error
}

// TokenDirectory lists tokens for reading, outside any transaction.
type TokenDirectory interface {
	// List returns the tokens that match, newest first.
	List(ctx context.Context, query TokenQuery) ([]m2m.Listed, error)
}

// TokenQuery narrows a list of tokens; zero values do not narrow.
type TokenQuery struct {
	Org workspace.ID
	App app.ID
	// Active narrows to tokens that are good now or, when false, to those that are
	// not any more.
	Active *bool
	// Before is the last jti of the page before.
	Before string
	Limit  int
	Now    time.Time
}
