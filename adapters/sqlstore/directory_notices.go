package sqlstore

import (
	"context"
	"fmt"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// noticeRow is a notice as it is stored; the address is sealed.
type noticeRow struct {
	ID        notice.ID   `db:"id"`
	UserID    user.ID     `db:"user_id"`
	Kind      notice.Kind `db:"kind"`
	EventID   event.ID    `db:"event_id"`
	IP        string      `db:"ip"`
	UserAgent string      `db:"user_agent"`
	CreatedAt instant     `db:"created_at"`
	ReadAt    instant     `db:"read_at"`
}

// NoticeDirectory lists notices for reading.
func (s *Store) NoticeDirectory() outbound.NoticeDirectory { return noticeDirectory{s} }

type noticeDirectory struct{ store *Store }

// List gives notices, newest first.
func (d noticeDirectory) List(ctx context.Context, query outbound.NoticeQuery) ([]notice.Snapshot, error) {
	f := &filter{}
	f.where("user_id = ?", query.Owner.String())
	f.unless(!query.Unread, "read_at IS NULL")
	f.unless(query.Before == "", "id < ?", query.Before.String())
	var found []noticeRow
	err := d.store.reader(ctx).search(ctx, &found, "SELECT id, user_id, kind, event_id, ip, user_agent, created_at, read_at FROM notifications"+
		f.String()+" ORDER BY id DESC LIMIT ?", append(f.args, atMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list notices: %w", err)
	}
	listed := make([]notice.Snapshot, len(found))
	for i, r := range found {
		open := opener{sealer: d.store.personal, table: "notifications", id: r.ID.String()}
		listed[i] = notice.Snapshot{
			ID: r.ID, UserID: r.UserID, Kind: r.Kind, EventID: r.EventID, IP: open.value("ip", r.IP),
			UserAgent: r.UserAgent, CreatedAt: r.CreatedAt.Time, ReadAt: r.ReadAt.Time,
		}
		if open.err != nil {
			return nil, fmt.Errorf("open the notice %s: %w", r.ID, open.err)
		}
	}
	return listed, nil
}

// Preferences reads which notices a user gets by mail.
func (d noticeDirectory) Preferences(ctx context.Context, owner user.ID) (*notice.Preferences, error) {
	return preferences(ctx, d.store.reader(ctx), owner)
}
