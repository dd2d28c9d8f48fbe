package signin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/guess"
	"gatehouse.internal/ports/outbound/signin"
)

// Guesses returns the counts of wrong guesses.
func Guesses(tx *sqlstore.Tx) signin.Guesses { return guesses{tx} }

type guesses struct{ tx *sqlstore.Tx }

// Of reads the count of a subject under a lock of its row.
func (r guesses) Of(ctx context.Context, subject string) (*guess.Count, error) {
	var found struct {
		Misses    string           `db:"misses"`
		Until     sqlstore.Instant `db:"until"`
		ExpiresAt sqlstore.Instant `db:"expires_at"`
		Version   int64            `db:"version"`
	}
	err := r.tx.Get(ctx, &found, `SELECT misses, until, expires_at, version FROM guesses WHERE subject = ? {for update}`, subject)
	if errors.Is(err, sql.ErrNoRows) {
		return guess.None(subject), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read what was guessed: %w", err)
	}
	misses, err := sqlstore.DecodeList[time.Time](found.Misses)
	if err != nil {
		return nil, fmt.Errorf("decode what was guessed: %w", err)
	}
	return guess.Restore(guess.Snapshot{
		Subject: subject, Misses: misses, Until: found.Until.Time, ExpiresAt: found.ExpiresAt.Time,
	}, found.Version), nil
}

// Save stores a count.
func (r guesses) Save(ctx context.Context, c *guess.Count) error {
	snapshot := c.Snapshot()
	misses, err := sqlstore.EncodeList(snapshot.Misses)
	if err != nil {
		return fmt.Errorf("encode what was guessed: %w", err)
	}
	return r.tx.Save(ctx, "guesses", sqlstore.Row{{"subject", snapshot.Subject}}, sqlstore.Row{
		{"misses", misses},
		{"until", sqlstore.At(snapshot.Until)},
		{"expires_at", sqlstore.At(snapshot.ExpiresAt)},
	}, c)
}
