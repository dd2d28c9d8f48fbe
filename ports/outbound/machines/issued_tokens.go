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

// IssuedTokens revokes tokens of apps, inside a unit of work. It records no events;
// that is up to the caller.
//
// # Decision: a time on the app revokes all its tokens
//
// Context: an app may have millions of live tokens, and in an incident all must be
// revoked immediately, including those being issued on another replica.
//
// Choice: apps.revoked_before, which every lookup of a token reads with its app. It
// only increases, and no rows of tokens are written. Only RevokeAll changes it: saving
// an app does not, and the version of the app stays the same. Tokens that are revoked
// individually have revoked_at; those for an audience end when it moves (Resources).
//
// What would change our mind: a need to end tokens by anything but their app, its
// audience and the time of issue.
type IssuedTokens interface {
	// Revoke revokes a token. It fails with m2m.ErrNotFound.
	Revoke(ctx context.Context, jti string, now time.Time) (m2m.Ended, error)
	// RevokeAll revokes the tokens of an app issued before a time, and returns how many
	// of them were live. If the time is now or later, it revokes all existing tokens,
	// including those of a replica whose clock is ahead. An app that does not exist has
	// none.
	RevokeAll(ctx context.Context, of app.ID, before, now time.Time) (count int, err error)
}

// TokenIssues stores issued tokens.
type TokenIssues interface {
	// Issue stores a token with its events and the successful flow runs that decided
	// about it. It returns when all are durable. Concurrent calls share one commit,
	// except inside the transaction of a command. It fails with aggregate.ErrConflict,
	// and stores nothing, if the app or the audience was changed or deleted since it
	// was read.
	Issue(ctx context.Context, token m2m.Issued, decidedBy []flow.Run, happened ...event.Data) error
}

// TokenDirectory reads tokens, outside any transaction.
type TokenDirectory interface {
	// List returns the tokens that match, newest first.
	List(ctx context.Context, query TokenQuery) ([]m2m.ListedToken, error)
}

// TokenQuery narrows a list of tokens; zero values do not narrow.
type TokenQuery struct {
	Org workspace.ID
	App app.ID
	// Active selects tokens that are valid or, if false, that no longer are.
	Active *bool
	// Before is the last jti of the previous page.
	Before string
	Limit  int
	Now    time.Time
}
