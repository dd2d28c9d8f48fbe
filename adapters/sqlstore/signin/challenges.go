package signin

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// challengeColumns are the columns of a challengeRow.
const challengeColumns = `digest, kind, user_id, content, code, code_expires_at, failures, created_at, expires_at`

// challengeRow is a challenge as it is stored; its content is always sealed.
type challengeRow struct {
	Digest        string           `db:"digest"`
	Kind          challenge.Kind   `db:"kind"`
	UserID        sql.NullString   `db:"user_id"`
	Content       string           `db:"content"`
	Code          string           `db:"code"`
	CodeExpiresAt sqlstore.Instant `db:"code_expires_at"`
	Failures      int              `db:"failures"`
	CreatedAt     sqlstore.Instant `db:"created_at"`
	ExpiresAt     sqlstore.Instant `db:"expires_at"`
}

// Challenges returns the challenges.
func Challenges(tx *sqlstore.Tx) signin.Challenges { return challenges{tx} }

type challenges struct{ tx *sqlstore.Tx }

// Open stores a challenge.
func (r challenges) Open(ctx context.Context, c challenge.Challenge) error {
	_, err := r.tx.Exec(ctx, `INSERT INTO challenges (`+challengeColumns+`) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		c.Digest, string(c.Kind), sqlstore.Optional(c.UserID.String()),
		r.tx.Store().Secrets().Seal(string(c.Content), sqlstore.Place("challenges", "content", c.Digest)),
		c.Code, sqlstore.At(c.CodeExpiresAt), c.Failures, sqlstore.At(c.CreatedAt), sqlstore.At(c.ExpiresAt))
	if err != nil {
		return fmt.Errorf("store a challenge: %w", err)
	}
	return nil
}

// Look reads a challenge under a lock of its row.
func (r challenges) Look(ctx context.Context, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error) {
	return r.one(ctx, `SELECT `+challengeColumns+` FROM challenges WHERE digest = ? AND kind = ? AND expires_at > ? {for update}`, kind, digest, now)
}

// Take removes a challenge and returns it.
func (r challenges) Take(ctx context.Context, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error) {
	return r.one(ctx, `DELETE FROM challenges WHERE digest = ? AND kind = ? AND expires_at > ? RETURNING `+challengeColumns, kind, digest, now)
}

func (r challenges) one(ctx context.Context, statement string, kind challenge.Kind, digest string, now time.Time) (challenge.Challenge, error) {
	var found challengeRow
	err := r.tx.One(ctx, &found, challenge.ErrGone, statement, digest, string(kind), sqlstore.At(now))
	if err != nil {
		return challenge.Challenge{}, err
	}
	return openChallenge(r.tx.Store(), &found)
}

// openChallenge opens a stored challenge.
func openChallenge(store *sqlstore.Store, found *challengeRow) (challenge.Challenge, error) {
	content, err := store.Secrets().Open(found.Content, sqlstore.Place("challenges", "content", found.Digest))
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
	n, err := r.tx.Exec(ctx, `DELETE FROM challenges WHERE digest = ? AND failures >= ?`, digest, challenge.MaxFailures-1)
	if err == nil && n == 0 {
		_, err = r.tx.Exec(ctx, `UPDATE challenges SET failures = failures + 1 WHERE digest = ?`, digest)
	}
	if err != nil {
		return fmt.Errorf("count a wrong answer to a challenge: %w", err)
	}
	return nil
}

// Arm stores a mailed code.
func (r challenges) Arm(ctx context.Context, digest string, code signin.ArmedCode) error {
	n, err := r.tx.Exec(ctx, `UPDATE challenges SET code = ?, code_expires_at = ?, user_id = COALESCE(user_id, ?) WHERE digest = ?`,
		code.Hash, sqlstore.At(code.Until), sqlstore.Optional(code.About.String()), digest)
	if err != nil {
		return fmt.Errorf("store the code of a challenge: %w", err)
	}
	if n == 0 {
		return challenge.ErrGone
	}
	return nil
}

// Drop removes the challenges that match.
func (r challenges) Drop(ctx context.Context, query signin.ChallengeQuery) (int, error) {
	if query.Spare != nil {
		return r.dropUnspared(ctx, query)
	}
	n, err := r.tx.Exec(ctx, `DELETE FROM challenges WHERE user_id = ? AND kind {any kind text}`, query.About.String(), kindsOf(query))
	if err != nil {
		return 0, fmt.Errorf("remove challenges of a user: %w", err)
	}
	return int(n), nil
}

func (r challenges) dropUnspared(ctx context.Context, query signin.ChallengeQuery) (int, error) {
	var found []challengeRow
	err := r.tx.List(ctx, &found, `SELECT `+challengeColumns+` FROM challenges WHERE user_id = ? AND kind {any kind text} {for update}`, query.About.String(), kindsOf(query))
	if err != nil {
		return 0, fmt.Errorf("list challenges of a user: %w", err)
	}
	dropped := 0
	for i := range found {
		one, err := openChallenge(r.tx.Store(), &found[i])
		if err != nil {
			return 0, err
		}
		if query.Spare(one) {
			continue
		}
		if _, err := r.tx.Exec(ctx, `DELETE FROM challenges WHERE digest = ?`, one.Digest); err != nil {
			return 0, fmt.Errorf("remove a challenge of a user: %w", err)
		}
		dropped++
	}
	return dropped, nil
}

func kindsOf(query signin.ChallengeQuery) any {
	names := make([]string, len(query.Kinds))
	for i, kind := range query.Kinds {
		names[i] = string(kind)
	}
	return sqlstore.OneColumn(names)
}
