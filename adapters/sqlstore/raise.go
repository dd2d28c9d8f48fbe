package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
)

// raisedNotice is a notice to be stored.
type raisedNotice struct {
	of     notice.Definition
	person user.ID
	event  event.ID
	// until is when the subject of the notice ends by itself; zero if it does not.
	until time.Time
}

// storeNotices stores the notices that events raised. A unit of work that creates an account raises
// none: the person who has just signed up knows about it.
func (t *Tx) storeNotices(ctx context.Context, raised []raisedNotice) error {
	if len(raised) == 0 || slices.Contains(t.kinds, user.KindCreated) {
		return nil
	}
	for _, one := range raised {
		if err := t.storeNotice(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// Tell stores a notice that was not raised by an event.
func (t *Tx) Tell(ctx context.Context, person user.ID, of notice.Definition, until time.Time) error {
	return t.storeNotice(ctx, raisedNotice{of: of, person: person, until: until})
}

// storeNotice stores a notice, unless the account was deleted, and queues its mail, unless the
// person has opted out.
func (t *Tx) storeNotice(ctx context.Context, raised raisedNotice) error {
	if raised.person == "" {
		return nil
	}
	now := t.store.clock.Now()
	s := notice.Snapshot{
		ID: notice.NewID(t.store.ids), UserID: raised.person, Kind: raised.of.Kind, EventID: raised.event, CreatedAt: now,
	}
	s.IP, s.UserAgent = notice.VisibleOrigin(event.OriginOf(ctx), raised.person)
	id := s.ID.String()
	seal := t.store.RowSealer("notifications", id)
	n, err := t.Exec(ctx, `
		INSERT INTO notifications (id, user_id, kind, event_id, ip, user_agent, created_at, read_at, purge_at)
		SELECT r.id, u.id, r.kind, r.event_id, r.ip, r.user_agent, r.created_at, NULL, r.purge_at
		FROM {rows id text, user_id text, kind text, event_id text, ip text, user_agent text, created_at time, purge_at time}
		JOIN users u ON u.id = r.user_id`, Rows{{
		id, s.UserID.String(), string(s.Kind), s.EventID.String(), seal("ip", s.IP),
		seal("user_agent", Printable(s.UserAgent)), At(now), At(now.Add(notice.KeptFor)),
	}})
	if err != nil {
		return fmt.Errorf("store a notice: %w", err)
	}
	if n == 0 {
		return nil
	}
	s.Until = raised.until
	return t.mailNotice(ctx, s, raised.of)
}

func (t *Tx) mailNotice(ctx context.Context, s notice.Snapshot, of notice.Definition) error {
	if !of.Vital {
		chosen, err := Preferences(ctx, t.Queries, s.UserID)
		if err != nil || !chosen.Mails(of) {
			return err
		}
	}
	request := mail.Request{Template: mail.Notice, UserID: s.UserID, Facts: s.Facts(of), Vital: of.Vital, Once: s.EventID.String()}
	return mails{t}.Queue(ctx, request)
}

// Preferences reads which notices a user gets by mail. The default is that of each kind.
func Preferences(ctx context.Context, q *Queries, owner user.ID) (*notice.Preferences, error) {
	var found struct {
		Content string `db:"content"`
		Version int64  `db:"version"`
	}
	err := q.Get(ctx, &found, `SELECT content, version FROM notification_preferences WHERE user_id = ?`, owner.String())
	if errors.Is(err, sql.ErrNoRows) {
		return notice.NoPreferences(owner), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the preferences for notices: %w", err)
	}
	s := notice.PreferencesSnapshot{UserID: owner}
	if err := json.Unmarshal([]byte(found.Content), &s.Mail); err != nil {
		return nil, fmt.Errorf("decode the preferences for notices: %w", err)
	}
	return notice.RestorePreferences(s, found.Version), nil
}
