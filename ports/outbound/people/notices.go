package people

import (
	"context"
	"time"

	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
)

// Notices stores security notices, inside a unit of work. Notices that follow from
// events are stored with these.
type Notices interface {
	// Tell stores a notice of a kind that follows from no event, and queues its mail.
	// The mail mentions until, unless that is zero.
	Tell(ctx context.Context, person user.ID, kind notice.Kind, until time.Time) error
	// MarkRead marks notices of a user as read, or all if named is empty; those of
	// others are ignored. It returns how many were unread.
	MarkRead(ctx context.Context, owner user.ID, named []notice.ID, now time.Time) (int, error)
	// Preferences returns which notices a user receives by mail.
	Preferences(ctx context.Context, owner user.ID) (*notice.Preferences, error)
	SavePreferences(ctx context.Context, p *notice.Preferences) error
}

// NoticeDirectory reads notices, outside any transaction.
type NoticeDirectory interface {
	// List returns the notices that match, newest first.
	List(ctx context.Context, query NoticeQuery) ([]notice.Snapshot, error)
	// Preferences returns which notices a user receives by mail.
	Preferences(ctx context.Context, owner user.ID) (*notice.Preferences, error)
}

// NoticeQuery narrows a list of notices; zero values except Owner do not narrow.
type NoticeQuery struct {
	Owner  user.ID
	Unread bool
	// Before is the last ID of the previous page.
	Before notice.ID
	Limit  int
}
