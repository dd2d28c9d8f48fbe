package mailing

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/mailing"
)

// Queue returns the directory of queued mail.
func Queue(store *sqlstore.Store) mailing.Queue { return mailQueue{store} }

type mailQueue struct{ store *sqlstore.Store }

// Queued returns a channel that is ready after this process has committed a queued mail.
func (q mailQueue) Queued() <-chan struct{} { return q.store.Mailed() }

// Due reports whether a mail is due.
func (q mailQueue) Due(ctx context.Context, now time.Time) (bool, error) {
	var due bool
	err := q.store.Reader(ctx).Get(ctx, &due, `SELECT EXISTS (SELECT 1 FROM mails WHERE status = 'queued' AND due_at <= ?)`, sqlstore.At(now))
	if err != nil {
		return false, fmt.Errorf("look for mail that is due: %w", err)
	}
	return due, nil
}

// Depth counts the mails that are queued.
func (q mailQueue) Depth(ctx context.Context) (int, error) {
	var depth int
	if err := q.store.Reader(ctx).Get(ctx, &depth, `SELECT COUNT(*) FROM mails WHERE status = 'queued'`); err != nil {
		return 0, fmt.Errorf("count queued mail: %w", err)
	}
	return depth, nil
}

// Backlog returns the number of mails that are due, and since when the oldest is.
func (q mailQueue) Backlog(ctx context.Context, now time.Time) (ready int, oldest time.Time, err error) {
	var due struct {
		Ready  int              `db:"ready"`
		Oldest sqlstore.Instant `db:"oldest"`
	}
	err = q.store.Reader(ctx).Get(ctx, &due,
		`SELECT COUNT(*) AS ready, MIN(due_at) AS oldest FROM mails WHERE status = 'queued' AND due_at <= ?`, sqlstore.At(now))
	if err != nil {
		return 0, time.Time{}, fmt.Errorf("measure the backlog of mail: %w", err)
	}
	return due.Ready, due.Oldest.Time, nil
}

// mailRow is a mail as it is listed. Holder is the sealed email address of its account.
type mailRow struct {
	ID        mail.ID          `db:"id"`
	Template  mail.Template    `db:"template"`
	UserID    sql.NullString   `db:"user_id"`
	Recipient string           `db:"recipient"`
	Content   string           `db:"content"`
	Status    mail.Status      `db:"status"`
	Attempts  int              `db:"attempts"`
	LastError string           `db:"last_error"`
	CreatedAt sqlstore.Instant `db:"created_at"`
	Holder    sql.NullString   `db:"holder"`
}

// List returns mails, newest first.
func (q mailQueue) List(ctx context.Context, query mailing.Query) ([]mail.Entry, error) {
	f := &sqlstore.Filter{}
	f.Unless(query.Status == "", "m.status = ?", string(query.Status))
	if !query.To.IsZero() {
		f.Where("m.recipient_index = ? AND m.recipient_index <> ''", q.store.EmailIndex(query.To))
	}
	f.Unless(query.Template == "", "m.template = ?", string(query.Template))
	f.Unless(query.Before == "", "m.id < ?", query.Before.String())
	var found []mailRow
	err := q.store.Reader(ctx).Search(ctx, &found, `SELECT m.id, m.template, m.user_id, m.recipient, m.content, m.status,
		m.attempts, m.last_error, m.created_at, u.email AS holder
		FROM mails m LEFT JOIN users u ON u.id = m.user_id`+f.String()+" ORDER BY m.id DESC LIMIT ?", append(f.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list mail: %w", err)
	}
	return sqlstore.Map(found, func(row *mailRow) (mail.Entry, error) { return mailEntry(q.store, row) })
}

func mailEntry(store *sqlstore.Store, r *mailRow) (mail.Entry, error) {
	to, err := mailAddress(store, r)
	if err != nil {
		return mail.Entry{}, fmt.Errorf("open the address of the mail %s: %w", r.ID, err)
	}
	open := store.RowOpener("mails", r.ID.String())
	why := open.Value("last_error", r.LastError)
	if open.Err != nil {
		return mail.Entry{}, fmt.Errorf("open why the mail %s failed: %w", r.ID, open.Err)
	}
	return mail.Entry{
		ID: r.ID, Template: r.Template, UserID: user.ID(r.UserID.String), To: to,
		Status: r.Status, Attempts: r.Attempts, LastError: why, CreatedAt: r.CreatedAt.Time,
	}, nil
}

// mailAddress returns the address that a mail was sent to, or else the one that it will be sent to.
func mailAddress(store *sqlstore.Store, r *mailRow) (email.Address, error) {
	if r.Recipient != "" {
		to, err := store.Secrets().Open(r.Recipient, sqlstore.Place("mails", "recipient", r.ID.String()))
		if err == nil {
			return email.Restore(to), nil
		}
	}
	// A recipient sealed under another JWT_SECRET cannot be decrypted; that of the account can.
	if request, err := store.MailRequest(r.ID, r.Content); err == nil && !request.To.IsZero() {
		return request.To, nil
	}
	to, err := store.Personal().Open(r.Holder.String, sqlstore.Place("users", "email", r.UserID.String))
	return email.Restore(to), err
}
