package outbound

import (
	"context"
	"time"

	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
)

// Notices stores what people are told about the security of their accounts, inside
// a unit of work. What events raise is stored with these, by itself.
type Notices interface {
	// Tell stores a notice of a kind that no event raises, and asks for its mail.
	Tell(ctx context.Context, person user.ID, kind notice.Kind) error
	// MarkRead marks notices of a user read, all of them when none is named; those
	// of others are left out. It tells how many were not read before.
	MarkRead(ctx context.Context, owner user.ID, named []notice.ID, now time.Time) (int, error)
	// Preferences gives which notices a user gets by mail.
	Preferences(ctx context.Context, owner user.ID) (*notice.Preferences, error)
	SavePreferences(ctx context.Context, p *notice.Preferences) error
}

// KnownClients stores what people logged in with, inside a unit of work; Entrants
// reads it.
type KnownClients interface {
	// Note notes a login.
	Note(ctx context.Context, owner user.ID, client string, now time.Time) error
}

// NoticeDirectory lists notices, outside any transaction.
type NoticeDirectory interface {
	// List gives the notices that match, newest first.
	List(ctx context.Context, query NoticeQuery) ([]notice.Snapshot, error)
	// Preferences gives which notices a user gets by mail.
	Preferences(ctx context.Context, owner user.ID) (*notice.Preferences, error)
}

// NoticeQuery narrows a list of notices; zero values do not narrow, but Owner.
type NoticeQuery struct {
	Owner  user.ID
	Unread bool
	// Before is the last id of the page before.
	Before notice.ID
	Limit  int
}
