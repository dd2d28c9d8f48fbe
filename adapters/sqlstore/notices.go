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
	"gatehouse.internal/ports/outbound"
)

// Notices gives what people are told about the security of their accounts.
func (t *Tx) Notices() outbound.Notices { return notices{t} }

type notices struct{ tx *Tx }

// raisedNotice is a notice to be told.
type raisedNotice struct {
	of     notice.Definition
	person user.ID
	event  event.ID
}

// tellAll tells what events raised. A unit of work that makes an account raises
// nothing: whoever just signed up knows of what came with it.
func (t *Tx) tellAll(ctx context.Context, raised []raisedNotice) error {
	if len(raised) == 0 || slices.Contains(t.kinds, user.KindCreated) {
		return nil
	}
	for _, one := range raised {
		if err := t.tell(ctx, one); err != nil {
			return err
		}
	}
	return nil
}

// tell stores a notice, unless its person is gone, and asks for its mail, unless
// they want none.
func (t *Tx) tell(ctx context.Context, raised raisedNotice) error {
	if raised.person == "" {
		return nil
	}
	now := t.store.clock.Now()
	s := notice.Snapshot{
		ID: notice.NewID(t.store.ids), UserID: raised.person, Kind: raised.of.Kind, EventID: raised.event, CreatedAt: now,
	}
	s.IP, s.UserAgent = notice.Told(event.OriginOf(ctx), raised.person)
	id := s.ID.String()
	n, err := t.q.exec(ctx, `
		INSERT INTO notifications (id, user_id, kind, event_id, ip, user_agent, created_at, read_at, purge_at)
		SELECT r.id, u.id, r.kind, r.event_id, r.ip, r.user_agent, r.created_at, NULL, r.purge_at
		FROM {rows id text, user_id text, kind text, event_id text, ip text, user_agent text, created_at time, purge_at time}
		JOIN users u ON u.id = r.user_id`, rows{{
		id, s.UserID.String(), string(s.Kind), s.EventID.String(), t.store.personal.Seal(s.IP, place("notifications", "ip", id)),
		printable(s.UserAgent), at(now), at(now.Add(notice.KeptFor)),
	}})
	if err != nil {
		return fmt.Errorf("store a notice: %w", err)
	}
	if n == 0 {
		return nil
	}
	return t.mailNotice(ctx, s, raised.of)
}

func (t *Tx) mailNotice(ctx context.Context, s notice.Snapshot, of notice.Definition) error {
	if !of.Vital {
		chosen, err := preferences(ctx, t.q, s.UserID)
		if err != nil || !chosen.Mails(of) {
			return err
		}
	}
	request := mail.Request{Template: mail.Notice, UserID: s.UserID, Facts: s.Facts(of), Once: s.EventID.String()}
	return mails{t}.Queue(ctx, request)
}

// Tell stores a notice that no event raises.
func (r notices) Tell(ctx context.Context, person user.ID, kind notice.Kind) error {
	of, known := notice.Find(kind)
	if !known {
		return fmt.Errorf("no notice is of the kind %q", kind)
	}
	return r.tx.tell(ctx, raisedNotice{of: of, person: person})
}

// MarkRead marks notices read.
func (r notices) MarkRead(ctx context.Context, owner user.ID, named []notice.ID, now time.Time) (int, error) {
	text, args := `UPDATE notifications SET read_at = ? WHERE user_id = ? AND read_at IS NULL`, []any{at(now), owner.String()}
	if len(named) > 0 {
		ids := make([]string, len(named))
		for i, id := range named {
			ids[i] = id.String()
		}
		text, args = text+` AND id {any id text}`, append(args, column(ids))
	}
	n, err := r.tx.q.exec(ctx, text, args...)
	if err != nil {
		return 0, fmt.Errorf("mark notices read: %w", err)
	}
	return int(n), nil
}

// Preferences reads which notices a user gets by mail.
func (r notices) Preferences(ctx context.Context, owner user.ID) (*notice.Preferences, error) {
	return preferences(ctx, r.tx.q, owner)
}

func preferences(ctx context.Context, q *queries, owner user.ID) (*notice.Preferences, error) {
	var found struct {
		Content string `db:"content"`
		Version int64  `db:"version"`
	}
	err := q.get(ctx, &found, `SELECT content, version FROM notification_preferences WHERE user_id = ?`, owner.String())
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

// SavePreferences stores which notices a user gets by mail.
func (r notices) SavePreferences(ctx context.Context, p *notice.Preferences) error {
	s := p.Snapshot()
	content, err := json.Marshal(s.Mail, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode the preferences for notices: %w", err)
	}
	err = r.tx.save(ctx, "notification_preferences", row{{"user_id", s.UserID.String()}}, row{{"content", string(content)}}, p)
	if err != nil {
		return fmt.Errorf("save the preferences for notices: %w", err)
	}
	return nil
}

// KnownClients gives what people logged in with.
func (t *Tx) KnownClients() outbound.KnownClients { return knownClients{t} }

type knownClients struct{ tx *Tx }

// Note stores a login; a client that was met before is met again.
func (r knownClients) Note(ctx context.Context, owner user.ID, client string, now time.Time) error {
	_, err := r.tx.q.exec(ctx, `
		INSERT INTO known_clients (user_id, client, seen_at) VALUES (?, ?, ?)
		ON CONFLICT (user_id, client) DO UPDATE SET seen_at = excluded.seen_at`, owner.String(), client, at(now))
	if err != nil {
		return fmt.Errorf("note what a user logs in with: %w", err)
	}
	return nil
}
