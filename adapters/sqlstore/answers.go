package sqlstore

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/ports/outbound"
)

// answerLife is how long the answer to an Idempotency-Key is kept (contract section 2).
const answerLife = 24 * time.Hour

var errOutside = errors.New("answers are kept only inside the transaction of a command")

// Claim takes a key for the transaction around the command. A twin that holds it
// is waited for; an answer that has expired is as none.
func (s *Store) Claim(ctx context.Context, key string) (outbound.StoredAnswer, bool, error) {
	tx, ok := s.ambient(ctx)
	if !ok {
		return outbound.StoredAnswer{}, false, errOutside
	}
	now := s.clock.Now()
	claimed, err := tx.q.exec(ctx, `
		INSERT INTO idempotency (key, body, answer, created_at, expires_at) VALUES (?, '', '', ?, ?)
		ON CONFLICT (key) DO UPDATE SET body = '', answer = '', created_at = excluded.created_at, expires_at = excluded.expires_at
		WHERE idempotency.expires_at <= ? OR idempotency.body = ''`,
		key, at(now), at(now.Add(answerLife)), at(now))
	if err != nil {
		return outbound.StoredAnswer{}, false, fmt.Errorf("claim an idempotency key: %w", err)
	}
	if claimed > 0 {
		return outbound.StoredAnswer{}, false, nil
	}
	var found outbound.StoredAnswer
	if err := tx.q.get(ctx, &found, `SELECT body, answer FROM idempotency WHERE key = ?`, key); err != nil {
		return outbound.StoredAnswer{}, false, fmt.Errorf("read the answer to an idempotency key: %w", err)
	}
	return found, true, nil
}

// Keep stores the answer to a key that this transaction claimed.
func (s *Store) Keep(ctx context.Context, key string, answer outbound.StoredAnswer) error {
	tx, ok := s.ambient(ctx)
	if !ok {
		return errOutside
	}
	kept, err := tx.q.exec(ctx, `UPDATE idempotency SET body = ?, answer = ? WHERE key = ?`, answer.Body, answer.Answer, key)
	if err != nil {
		return fmt.Errorf("keep the answer to an idempotency key: %w", err)
	}
	if kept != 1 {
		return errors.New("keep the answer to an idempotency key: it was not claimed")
	}
	return nil
}
