package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/ports/outbound"
)

// mailKept is how long is told what became of a mail.
const mailKept = 30 * 24 * time.Hour

// Mails takes requests for mail.
func (t *Tx) Mails() outbound.Mails { return mails{t} }

type mails struct{ tx *Tx }

// Queue stores a request. Where it names an account, the mail is listed under the
// address that this has; one for whoever has an address asks for no account here.
func (r mails) Queue(ctx context.Context, request mail.Request) error {
	content, err := json.Marshal(request, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode a request for mail: %w", err)
	}
	store, now := r.tx.store, r.tx.store.clock.Now()
	minted := mail.NewID(store.ids).String()
	recipient := ""
	if !request.To.IsZero() {
		recipient = store.emailIndex(request.To)
	}
	person := sql.NullString{String: request.UserID.String(), Valid: request.UserID != ""}
	_, err = r.tx.q.exec(ctx, `
		INSERT INTO mails (id, template, user_id, recipient, recipient_index, content, once, status, attempts, last_error,
			created_at, due_at, done_at, purge_at)
		VALUES (?, ?, ?, '', COALESCE(NULLIF(?, ''), (SELECT email_index FROM users WHERE id = ?), ''),
			?, ?, ?, 0, '', ?, ?, NULL, ?) ON CONFLICT DO NOTHING`,
		minted, string(request.Template), person, recipient, person,
		store.secrets.Seal(string(content), place("mails", "content", minted)),
		sql.NullString{String: request.Once, Valid: request.Once != ""}, string(mail.Queued),
		at(now), at(now), at(now.Add(mailKept)))
	if err != nil {
		return fmt.Errorf("queue a mail: %w", err)
	}
	r.tx.mailed = true
	return nil
}

// nudge tells whoever sends mail in this process that there is some.
func (s *Store) nudge() {
	select {
	case s.mailed <- struct{}{}:
	default: // told already
	}
}
