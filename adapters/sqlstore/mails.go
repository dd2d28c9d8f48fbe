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

// Queue stores a request.
func (r mails) Queue(ctx context.Context, request mail.Request) error {
	content, err := json.Marshal(request, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode a request for mail: %w", err)
	}
	store, now := r.tx.store, r.tx.store.clock.Now()
	minted := mail.NewID(store.ids).String()
	recipient := ""
	if request.To.String() != "" {
		recipient = store.emailIndex(request.To)
	}
	_, err = r.tx.q.exec(ctx, `
		INSERT INTO mails (id, template, user_id, recipient_index, content, once, status, attempts, last_error,
			created_at, due_at, claimed_until, done_at, purge_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, 0, '', ?, ?, NULL, NULL, ?) ON CONFLICT DO NOTHING`,
		minted, string(request.Template), request.UserID.String(), recipient,
		store.secrets.Seal(string(content), place("mails", "content", minted)),
		sql.NullString{String: request.Once, Valid: request.Once != ""}, string(mail.Queued),
		at(now), at(now), at(now.Add(mailKept)))
	if err != nil {
		return fmt.Errorf("queue a mail: %w", err)
	}
	return nil
}
