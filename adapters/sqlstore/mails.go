package sqlstore

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/mailing"
)

// mailKept is how long the outcome of a mail is kept.
const mailKept = 30 * 24 * time.Hour

// Mails returns the port that queues requests for mail.
func (t *Tx) Mails() mailing.Mails { return mails{t} }

type mails struct{ tx *Tx }

// Queue stores a request. If it names an account, the mail is listed under the current address
// of that account. If it names only an address, no account is looked up here.
func (r mails) Queue(ctx context.Context, request mail.Request) error {
	content, err := json.Marshal(request, json.Deterministic(true))
	if err != nil {
		return fmt.Errorf("encode a request for mail: %w", err)
	}
	store, now := r.tx.store, r.tx.store.clock.Now()
	minted := mail.NewID(store.ids).String()
	recipient := ""
	if !request.To.IsZero() {
		recipient = store.EmailIndex(request.To)
	}
	person := Optional(request.UserID.String())
	_, err = r.tx.Exec(ctx, `
		INSERT INTO mails (id, template, user_id, recipient, recipient_index, content, once, status, attempts, last_error,
			created_at, due_at, done_at, purge_at)
		VALUES (?, ?, ?, '', COALESCE(NULLIF(?, ''), (SELECT email_index FROM users WHERE id = ?), ''),
			?, ?, ?, 0, '', ?, ?, NULL, ?) ON CONFLICT DO NOTHING`,
		minted, string(request.Template), person, recipient, person,
		store.secrets.Seal(string(content), Place("mails", "content", minted)),
		Optional(request.Once), string(mail.Queued),
		At(now), At(now), At(now.Add(mailKept)))
	if err != nil {
		return fmt.Errorf("queue a mail: %w", err)
	}
	r.tx.WakeMailer()
	return nil
}

// MailRequest opens a stored request.
func (s *Store) MailRequest(id mail.ID, sealed string) (request mail.Request, err error) {
	content, err := s.secrets.Open(sealed, Place("mails", "content", id.String()))
	if err != nil {
		return request, fmt.Errorf("open the mail %s: %w", id, err)
	}
	if err := json.Unmarshal([]byte(content), &request); err != nil {
		return request, fmt.Errorf("decode the mail %s: %w", id, err)
	}
	return request, nil
}

// DetachMails detaches the vital mail of an account that is deleted in this transaction, so that
// it is still sent; all other mail is deleted with the account. A replica that has already
// claimed such a mail sends it unchanged. Nothing is sent to the address of the account if that
// is not verified, since it may be the address of a stranger.
func (t *Tx) DetachMails(ctx context.Context, person user.Snapshot) error {
	var queued []struct {
		ID      mail.ID `db:"id"`
		Content string  `db:"content"`
	}
	err := t.List(ctx, &queued, `SELECT id, content FROM mails WHERE user_id = ? AND status = ? {for update}`, person.ID.String(), string(mail.Queued))
	if err != nil {
		return fmt.Errorf("list the mail queued for an account: %w", err)
	}
	for _, one := range queued {
		request, err := t.store.MailRequest(one.ID, one.Content)
		if err != nil || !request.Vital {
			continue // what cannot be opened could not be sent either
		}
		if request.UserID, request.Parting = "", true; request.To.IsZero() {
			request.To = person.Email
		}
		if request.To == person.Email && !person.EmailVerified {
			continue
		}
		content, err := json.Marshal(request, json.Deterministic(true))
		if err != nil {
			return fmt.Errorf("encode a request for mail: %w", err)
		}
		sealed := t.store.secrets.Seal(string(content), Place("mails", "content", one.ID.String()))
		if _, err := t.Exec(ctx, `UPDATE mails SET user_id = NULL, content = ? WHERE id = ?`, sealed, one.ID.String()); err != nil {
			return fmt.Errorf("keep a mail of an account that goes: %w", err)
		}
	}
	return nil
}

// nudge signals the mailer of this process that mail is queued.
func (s *Store) nudge() {
	select {
	case s.mailed <- struct{}{}:
	default: // told already
	}
}
