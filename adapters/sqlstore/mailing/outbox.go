package mailing

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/mailing"
)

// Outbox returns the repository of queued mail, for the mailer.
func Outbox(tx *sqlstore.Tx) mailing.Outbox { return outbox{tx} }

type outbox struct{ tx *sqlstore.Tx }

// claimedRow is a mail that is claimed.
type claimedRow struct {
	ID       mail.ID        `db:"id"`
	Template mail.Template  `db:"template"`
	UserID   sql.NullString `db:"user_id"`
	Content  string         `db:"content"`
	Attempts int            `db:"attempts"`
}

// Claim claims mails that are due. It counts an attempt, and moves the time at which a mail is due to the end of
// the lease, so that it is claimed again if the replica that sends it has stopped.
func (r outbox) Claim(ctx context.Context, most int, now, until time.Time) ([]mail.ClaimedMail, error) {
	var found []claimedRow
	err := r.tx.List(ctx, &found, sqlstore.BatchOf("id", "mails WHERE status = 'queued' AND due_at <= ? ORDER BY due_at")+`
		UPDATE mails SET due_at = ?, attempts = attempts + 1 WHERE id IN (SELECT id FROM batch)
		RETURNING id, template, user_id, content, attempts`, sqlstore.At(now), most, sqlstore.At(until))
	if err != nil {
		return nil, fmt.Errorf("claim mail: %w", err)
	}
	// RETURNING has no order; identifiers are in the order of creation.
	slices.SortFunc(found, func(a, b claimedRow) int { return strings.Compare(a.ID.String(), b.ID.String()) })
	claimed := make([]mail.ClaimedMail, 0, len(found))
	for _, one := range found {
		turn := mail.ClaimedMail{ID: one.ID, Attempt: one.Attempts}
		if turn.Request, err = r.tx.Store().MailRequest(one.ID, one.Content); err != nil {
			if err := r.giveUp(ctx, one, now); err != nil {
				return nil, err
			}
			continue
		}
		claimed = append(claimed, turn)
	}
	return claimed, nil
}

// giveUp ends a mail that cannot be decrypted as failed. It can be queued again once the earlier JWT_SECRET is
// restored.
func (r outbox) giveUp(ctx context.Context, one claimedRow, now time.Time) error {
	why := mail.Outcome{Status: mail.Failed, Why: "cannot decrypt the mail: JWT_SECRET has changed since it was queued"}
	if err := r.RecordOutcome(ctx, mail.ClaimedMail{ID: one.ID, Attempt: one.Attempts}, why, now); err != nil {
		return err
	}
	return r.tx.Record(ctx, []event.Data{mail.GivenUp{
		MessageID: one.ID, UserID: user.ID(one.UserID.String), Template: one.Template, Attempts: one.Attempts,
	}})
}

// claimed is the condition that a mail was not claimed again, and is still queued.
const claimed = ` WHERE id = ? AND attempts = ? AND status = 'queued'`

// change updates a claimed mail. It fails with mail.ErrLost if the claim has ended.
func (r outbox) change(ctx context.Context, what, statement string, c mail.ClaimedMail, args ...any) error {
	n, err := r.tx.Exec(ctx, statement+claimed, append(args, c.ID.String(), c.Attempt)...)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return lostUnless(n)
}

// Address stores the recipient of a mail.
func (r outbox) Address(ctx context.Context, c mail.ClaimedMail, person user.ID, to email.Address) error {
	sealed := r.tx.Store().Secrets().Seal(to.String(), sqlstore.Place("mails", "recipient", c.ID.String()))
	return r.change(ctx, "store the recipient of a mail", `UPDATE mails SET user_id = ?, recipient = ?, recipient_index = ?`,
		c, sqlstore.Optional(person.String()), sealed, r.tx.Store().EmailIndex(to))
}

// Drop removes a claimed mail, unless its account was deleted meanwhile and the mail was kept. It fails with
// mail.ErrLost if it removed none.
func (r outbox) Drop(ctx context.Context, c mail.ClaimedMail) error {
	n, err := r.tx.Exec(ctx, `DELETE FROM mails`+claimed+` AND (user_id IS NOT NULL OR ? = '')`, c.ID.String(), c.Attempt, c.UserID.String())
	if err != nil {
		return fmt.Errorf("drop a mail: %w", err)
	}
	return lostUnless(n)
}

// RecordOutcome stores the outcome of an attempt. It fails with mail.ErrLost if the claim has ended.
func (r outbox) RecordOutcome(ctx context.Context, c mail.ClaimedMail, o mail.Outcome, now time.Time) error {
	done, due := sqlstore.At(now), sqlstore.At(now)
	if o.Status == mail.Queued {
		done, due = sqlstore.At(time.Time{}), sqlstore.At(o.RetryAt)
	}
	return r.change(ctx, "store the outcome of a mail", `UPDATE mails SET status = ?, last_error = ?, done_at = ?, due_at = ?`,
		c, string(o.Status), r.tx.Store().RowSealer("mails", c.ID.String())("last_error", o.Why), done, due)
}

// requeued is the statement that queues failed mails again; the condition follows it.
const requeued = `UPDATE mails SET status = 'queued', attempts = 0, last_error = '', done_at = NULL, due_at = ?`

// Requeue queues a failed mail again. It fails with mail.ErrNotFound or mail.ErrNotFailed.
func (r outbox) Requeue(ctx context.Context, id mail.ID, now time.Time) error {
	var status mail.Status
	err := r.tx.One(ctx, &status, mail.ErrNotFound, `SELECT status FROM mails WHERE id = ? {for update}`, id.String())
	if err != nil {
		return err
	}
	if status != mail.Failed {
		return mail.ErrNotFailed
	}
	if _, err := r.tx.Exec(ctx, requeued+` WHERE id = ?`, sqlstore.At(now), id.String()); err != nil {
		return fmt.Errorf("queue a mail again: %w", err)
	}
	r.tx.WakeMailer()
	return nil
}

// RequeueSince queues a batch of mails again that failed since a time, and returns how many.
func (r outbox) RequeueSince(ctx context.Context, since, now time.Time, most int) (int, error) {
	n, err := r.tx.Exec(ctx, sqlstore.BatchOf("id", "mails WHERE status = 'failed' AND done_at >= ? ORDER BY done_at")+
		requeued+` WHERE id IN (SELECT id FROM batch)`, sqlstore.At(since), most, sqlstore.At(now))
	if err != nil {
		return 0, fmt.Errorf("queue mails again: %w", err)
	}
	if n > 0 {
		r.tx.WakeMailer()
	}
	return int(n), nil
}
