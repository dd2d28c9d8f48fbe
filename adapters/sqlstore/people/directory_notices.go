package people

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// noticeRow is a notice as it is stored; the address and the user agent are sealed.
type noticeRow struct {
	ID        notice.ID        `db:"id"`
	UserID    user.ID          `db:"user_id"`
	Kind      notice.Kind      `db:"kind"`
	EventID   event.ID         `db:"event_id"`
	IP        string           `db:"ip"`
	UserAgent string           `db:"user_agent"`
	CreatedAt sqlstore.Instant `db:"created_at"`
	ReadAt    sqlstore.Instant `db:"read_at"`
}

// NoticeDirectory lists notices for reading.
func NoticeDirectory(store *sqlstore.Store) people.NoticeDirectory { return noticeDirectory{store} }

type noticeDirectory struct{ store *sqlstore.Store }

// List returns notices, newest first.
func (d noticeDirectory) List(ctx context.Context, query people.NoticeQuery) ([]notice.Snapshot, error) {
	f := &sqlstore.Filter{}
	f.Where("user_id = ?", query.Owner.String())
	f.Unless(!query.Unread, "read_at IS NULL")
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []noticeRow
	err := d.store.Reader(ctx).Search(ctx, &found, "SELECT id, user_id, kind, event_id, ip, user_agent, created_at, read_at FROM notifications"+
		f.String()+" ORDER BY id DESC LIMIT ?", append(f.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list notices: %w", err)
	}
	listed := make([]notice.Snapshot, len(found))
	for i, r := range found {
		open := d.store.RowOpener("notifications", r.ID.String())
		listed[i] = notice.Snapshot{
			ID: r.ID, UserID: r.UserID, Kind: r.Kind, EventID: r.EventID, IP: open.Value("ip", r.IP),
			UserAgent: open.Value("user_agent", r.UserAgent), CreatedAt: r.CreatedAt.Time, ReadAt: r.ReadAt.Time,
		}
		if open.Err != nil {
			return nil, fmt.Errorf("open the notice %s: %w", r.ID, open.Err)
		}
	}
	return listed, nil
}

// Preferences reads which notices a user gets by mail.
func (d noticeDirectory) Preferences(ctx context.Context, owner user.ID) (*notice.Preferences, error) {
	return sqlstore.Preferences(ctx, d.store.Reader(ctx), owner)
}
