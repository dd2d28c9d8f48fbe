package mailing

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/mailing"
)

// Digests returns the repository that merges mails of one recipient into digests.
func Digests(tx *sqlstore.Tx) mailing.Digests { return digests{tx} }

type digests struct{ tx *sqlstore.Tx }

// gatheredPrefix, followed by the id of the mail, is the value of the column once of a mail that others are
// merged into.
const gatheredPrefix = "gathered/"

// Gather merges a mail into a waiting one of the same reader, or lets it wait until a time for others. It locks
// the account of the reader, so that replicas find each other's mails. A mail that was claimed accepts no
// others. It fails with mail.ErrLost if the claim has ended.
func (r digests) Gather(ctx context.Context, c mail.ClaimedMail, reader user.ID, until time.Time) error {
	if err := people.LockAccount(ctx, r.tx, reader); err != nil {
		return err
	}
	var waiting []claimedRow
	err := r.tx.List(ctx, &waiting, `SELECT m.id, m.template, m.user_id, m.content, m.attempts FROM mails m JOIN mails own ON own.id = ?
		WHERE m.user_id = ? AND m.recipient_index = own.recipient_index AND m.status = 'queued' AND m.attempts = 0 AND m.once = ? || m.id AND m.id <> own.id`,
		c.ID.String(), reader.String(), gatheredPrefix)
	if err != nil {
		return fmt.Errorf("look for a mail to gather in: %w", err)
	}
	for _, one := range waiting {
		added, err := r.add(ctx, one, c)
		if err != nil || added {
			return err
		}
	}
	n, err := r.tx.Exec(ctx, `UPDATE mails SET once = ?, attempts = 0, due_at = ?`+claimed,
		gatheredPrefix+c.ID.String(), sqlstore.At(until), c.ID.String(), c.Attempt)
	if err != nil {
		return fmt.Errorf("let a mail wait: %w", err)
	}
	return lostUnless(n)
}

// add merges the content of a claimed mail into a waiting one, and deletes the claimed one. It reports false if
// the waiting one was claimed meanwhile or cannot be decrypted.
func (r digests) add(ctx context.Context, waiting claimedRow, c mail.ClaimedMail) (bool, error) {
	request, err := r.tx.Store().MailRequest(waiting.ID, waiting.Content)
	if err != nil {
		return false, nil //nolint:nilerr // a mail that cannot be decrypted accepts no others
	}
	content, err := json.Marshal(request.Gather(c.Request), json.Deterministic(true))
	if err != nil {
		return false, fmt.Errorf("encode a gathered mail: %w", err)
	}
	sealed := r.tx.Store().Secrets().Seal(string(content), sqlstore.Place("mails", "content", waiting.ID.String()))
	n, err := r.tx.Exec(ctx, `UPDATE mails SET content = ?`+claimed, sealed, waiting.ID.String(), waiting.Attempts)
	if err != nil || n == 0 {
		return false, err
	}
	n, err = r.tx.Exec(ctx, `DELETE FROM mails`+claimed, c.ID.String(), c.Attempt)
	if err != nil {
		return false, fmt.Errorf("drop a gathered mail: %w", err)
	}
	return true, lostUnless(n)
}

// lostUnless fails with mail.ErrLost if a statement changed no row, because the claim has ended.
func lostUnless(n int64) error {
	if n == 0 {
		return mail.ErrLost
	}
	return nil
}
