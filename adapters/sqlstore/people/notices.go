package people

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// Notices returns the notices about the security of accounts.
func Notices(tx *sqlstore.Tx) people.Notices { return notices{tx} }

type notices struct{ tx *sqlstore.Tx }

// Tell stores a notice that no event raises.
func (r notices) Tell(ctx context.Context, person user.ID, kind notice.Kind, until time.Time) error {
	of, known := notice.Find(kind)
	if !known {
		return fmt.Errorf("no notice is of the kind %q", kind)
	}
	return r.tx.Tell(ctx, person, of, until)
}

// MarkRead marks notices read.
func (r notices) MarkRead(ctx context.Context, owner user.ID, named []notice.ID, now time.Time) (int, error) {
	text, args := `UPDATE notifications SET read_at = ? WHERE user_id = ? AND read_at IS NULL`, []any{sqlstore.At(now), owner.String()}
	if len(named) > 0 {
		ids := make([]string, len(named))
		for i, id := range named {
			ids[i] = id.String()
		}
		text, args = text+` AND id {any id text}`, append(args, sqlstore.OneColumn(ids))
	}
	n, err := r.tx.Exec(ctx, text, args...)
	if err != nil {
		return 0, fmt.Errorf("mark notices read: %w", err)
	}
	return int(n), nil
}

// Preferences reads which notices a user gets by mail.
func (r notices) Preferences(ctx context.Context, owner user.ID) (*notice.Preferences, error) {
	return sqlstore.Preferences(ctx, r.tx.Queries, owner)
}

// SavePreferences stores which notices a user gets by mail.
func (r notices) SavePreferences(ctx context.Context, p *notice.Preferences) error {
	s := p.Snapshot()
	content, err := json.Marshal(s.Mail, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode the preferences for notices: %w", err)
	}
	return r.tx.Save(ctx, "notification_preferences", sqlstore.Row{{"user_id", s.UserID.String()}}, sqlstore.Row{{"content", string(content)}}, p)
}
