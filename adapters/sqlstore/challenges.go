package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// challengeColumns are what a challengeRow reads.
const challengeColumns = `digest, kind, user_id, content, code, code_expires_at, failures, created_at, expires_at`

// challengeRow is a challenge as it is stored; its content is always sealed.
type challengeRow struct {
	Digest        string         `db:"digest"`
	Kind          challenge.Kind `db:"kind"`
	UserID        sql.NullString `db:"user_id"`
	Content       string         `db:"content"`
	Code          string         `db:"code"`
	CodeExpiresAt instant        `db:"code_expires_at"`
	Failures      int            `db:"failures"`
	CreatedAt     instant        `db:"created_at"`
	ExpiresAt     instant        `db:"expires_at"`
}

// Challenges gives what is waited for.
func (t *Tx) Challenges() outbound.Challenges { return challenges{t} }

type challenges struct{ tx *Tx }

// Open stores a challenge.
func (r challenges) Open(ctx context.Context, c challenge.Challenge) error {
	_, err := r.tx.q.exec(ctx, `INSERT INTO challenges (`+challengeColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.Digest, string(c.Kind), sql.NullString{String: c.UserID.String(), Valid: c.UserID != ""},
		r.tx.store.secrets.Seal(string(c.Content), place("challenges", "content", c.Digest)),
		c.Code, at(c.CodeExpiresAt), c.Failures, at(c.CreatedAt), at(c.ExpiresAt))
	if err != nil {
		return fmt.Errorf("store a challenge: %w", err)
	}
	return nil
}

// Look reads a challenge under a lock of its row.
func (r challenges) Look(ctx context.Context, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error) {
	return r.one(ctx, `SELECT `+challengeColumns+` FROM challenges WHERE digest = ? AND kind = ? AND expires_at > ? {for update}`, kind, digest, now)
}

// Take removes a challenge and gives it.
func (r challenges) Take(ctx context.Context, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error) {
	return r.one(ctx, `DELETE FROM challenges WHERE digest = ? AND kind = ? AND expires_at > ? RETURNING `+challengeColumns, kind, digest, now)
}

func (r challenges) one(ctx context.Context, statement string, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error) {
	var found challengeRow
	err := r.tx.q.get(ctx, &found, statement, digest, string(kind), at(now))
	if errors.Is(err, sql.ErrNoRows) {
		return challenge.Challenge{}, challenge.ErrGone
	}
	if err != nil {
		return challenge.Challenge{}, fmt.Errorf("read a challenge: %w", err)
	}
	return r.tx.store.challenge(&found)
}

// challenge opens a stored challenge.
func (s *Store) challenge(found *challengeRow) (challenge.Challenge, error) {
	content, err := s.secrets.Open(found.Content, place("challenges", "content", found.Digest))
	if err != nil {
		return challenge.Challenge{}, fmt.Errorf("open a challenge: %w", err)
	}
	return challenge.Challenge{
		Digest: found.Digest, Kind: found.Kind, UserID: user.ID(found.UserID.String), Content: []byte(content),
		Code: found.Code, CodeExpiresAt: found.CodeExpiresAt.Time, Failures: found.Failures,
		CreatedAt: found.CreatedAt.Time, ExpiresAt: found.ExpiresAt.Time,
	}, nil
}

// Miss counts a wrong answer, or removes the challenge.
func (r challenges) Miss(ctx context.Context, digest string) error {
	n, err := r.tx.q.exec(ctx, `DELETE FROM challenges WHERE digest = ? AND failures >= ?`, digest, challenge.MaxFailures-1)
	if err == nil && n == 0 {
		_, err = r.tx.q.exec(ctx, `UPDATE challenges SET failures = failures + 1 WHERE digest = ?`, digest)
	}
	if err != nil {
		return fmt.Errorf("count a wrong answer to a challenge: %w", err)
	}
	return nil
}

// Arm stores the keyed hash of a code.
func (r challenges) Arm(ctx context.Context, digest, code string, until time.Time) error {
	n, err := r.tx.q.exec(ctx, `UPDATE challenges SET code = ?, code_expires_at = ? WHERE digest = ?`, code, at(until), digest)
	if err != nil {
		return fmt.Errorf("store the code of a challenge: %w", err)
	}
	if n == 0 {
		return challenge.ErrGone
	}
	return nil
}

// Drop removes the challenges of a user.
func (r challenges) Drop(ctx context.Context, about user.ID, kinds ...challenge.Kind) error {
	names := make([]string, len(kinds))
	for i, kind := range kinds {
		names[i] = string(kind)
	}
	if _, err := r.tx.q.exec(ctx, `DELETE FROM challenges WHERE user_id = ? AND kind {any kind text}`, about.String(), column(names)); err != nil {
		return fmt.Errorf("remove challenges of a user: %w", err)
	}
	return nil
}
