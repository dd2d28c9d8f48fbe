package people

import (
	"context"
	"time"

	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
)

// Notices stores what people are told about the security of their accounts, inside
// a unit of work. What events raise is stored with these, by itself.
type Notices interface {
	// Tell stores a notice of a kind that no event raises, and asks for its mail, which
	// says until when what it tells of lasts; zero where that does not end by itself.
	Tell(ctx context.Context, person user.ID, kind notice.Kind, until time.Time) error
	// MarkRead marks notices of a user read, all of them when none is named; those
	// of others are left out. It returns how many were not read before.
	MarkRead(ctx context.Context, owner user.ID, named []notice.ID, now time.Time) (int, error)
	// Preferences returns which notices a user gets by mail.
	Preferences(ctx context.Context, owner user.ID) (*notice.Preferences, error)
	SavePreferences(ctx context.Context, p *notice.Preferences) error
}

// NoticeDirectory lists notices, outside any transaction.
type NoticeDirectory interface {
	// List returns the notices that match, newest first.
	List(ctx context.Context, query NoticeQuery) ([]notice.Snapshot, error)
	// Preferences returns which notices a user gets by mail.
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
