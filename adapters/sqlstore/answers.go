package sqlstore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/ports/outbound"
)

const (
	// answerLife is how long the answer to an Idempotency-Key is kept (contract section 2).
	answerLife = 24 * time.Hour
	// claimLife is how long a claim holds whose process ended without releasing it. It is
	// longer than any command runs.
	claimLife = 2 * time.Minute
)

var (
	errOutside   = errors.New("answers are kept only inside the transaction of a command")
	errUnclaimed = errors.New("keep the answer to an idempotency key: this transaction has no claim to it")
)

// Claim takes a key for the transaction around the command. It waits for a concurrent call
// with the same key unless that one has paused. An answer that has expired is ignored.
//
// Where a single connection writes, the key is only taken when the transaction begins, so that
// nothing else waits while the command hashes a password. A command that is overtaken until then
// fails with outbound.ErrAnswerPending as soon as it uses the transaction.
func (s *Store) Claim(ctx context.Context, key string) (outbound.StoredAnswer, bool, error) {
	tx, ok := s.ambient(ctx)
	if !ok || tx.around == nil {
		return outbound.StoredAnswer{}, false, errOutside
	}
	if s.hot == s.write && tx.tx == nil {
		tx.around.wanted = key
		return s.answered(ctx, key)
	}
	claimed, err := tx.claim(ctx, key)
	if err != nil || claimed {
		return outbound.StoredAnswer{}, false, err
	}
	return s.answered(ctx, key)
}

// claim takes a key unless somebody has it.
func (t *Tx) claim(ctx context.Context, key string) (claimed bool, err error) {
	now := t.store.clock.Now()
	var orgs []string // the workspace that the expired answer counts for
	err = t.List(ctx, &orgs, `
		INSERT INTO idempotency (key, body, answer, created_at, expires_at) VALUES (?, '', '', ?, ?)
		ON CONFLICT (key) DO UPDATE SET body = '', answer = '', created_at = excluded.created_at, expires_at = excluded.expires_at
		WHERE idempotency.expires_at <= ? RETURNING org_id`,
		key, At(now), At(now.Add(claimLife)), At(now))
	if err != nil {
		return false, fmt.Errorf("claim an idempotency key: %w", err)
	}
	if len(orgs) == 0 {
		return false, nil
	}
	t.around.claimed, t.around.claimedAt, t.around.countedFor = key, now, orgs[0]
	return true, nil
}

// answered returns the answer under a key, if there is one. It fails with
// outbound.ErrAnswerPending where another call with the key is under way.
func (s *Store) answered(ctx context.Context, key string) (outbound.StoredAnswer, bool, error) {
	var found []outbound.StoredAnswer
	err := s.Reader(ctx).List(ctx, &found, `SELECT body, answer FROM idempotency WHERE key = ? AND expires_at > ?`, key, At(s.clock.Now()))
	switch {
	case err != nil:
		return outbound.StoredAnswer{}, false, fmt.Errorf("read the answer to an idempotency key: %w", err)
	case len(found) == 0:
		return outbound.StoredAnswer{}, false, nil
	case found[0].Body == "":
		return outbound.StoredAnswer{}, false, outbound.ErrAnswerPending
	}
	return found[0], true, nil
}

// Keep stores the answer under a key that this transaction claimed. The answer is counted for
// its workspace last, because the count locks out others until the commit. Like every unit of
// work it stores nothing once the credential of the call has ended.
func (s *Store) Keep(ctx context.Context, key string, answer outbound.StoredAnswer, quota outbound.AnswerQuota) error {
	tx, ok := s.ambient(ctx)
	if !ok || tx.around == nil {
		return errOutside
	}
	if err := tx.enter(ctx); err != nil {
		return err
	}
	if tx.around.claimed != key {
		return errUnclaimed
	}
	if err := tx.stand(ctx); err != nil {
		return err
	}
	org := cmp.Or(tx.around.countedFor, quota.Org)
	kept, err := tx.Exec(ctx, `UPDATE idempotency SET body = ?, answer = ?, expires_at = ?, org_id = ? WHERE key = ? AND created_at = ?`,
		answer.Body, answer.Answer, At(s.clock.Now().Add(answerLife)), org, key, At(tx.around.claimedAt))
	if err != nil {
		return fmt.Errorf("keep the answer to an idempotency key: %w", err)
	}
	if kept != 1 {
		return errUnclaimed
	}
	if org == "" || tx.around.countedFor != "" {
		return nil
	}
	within, err := tx.Use(ctx, QuotaUse{Key: QuotaKey(answerQuota, org), Amount: 1, Most: quota.Most})
	if err == nil && !within {
		return outbound.ErrTooManyAnswers
	}
	return err
}
