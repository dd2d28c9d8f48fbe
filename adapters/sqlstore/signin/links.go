package signin

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/ports/outbound/signin"
)

// Links returns the port that reads challenges of links without consuming them.
func Links(store *sqlstore.Store) signin.Links { return links{store} }

type links struct{ store *sqlstore.Store }

// Find reads one challenge.
func (l links) Find(ctx context.Context, digest string, now time.Time, kinds ...challenge.Kind) (challenge.Challenge, error) {
	var found challengeRow
	err := l.store.Reader(ctx).Get(ctx, &found,
		`SELECT `+challengeColumns+` FROM challenges WHERE digest = ? AND expires_at > ?`, digest, sqlstore.At(now))
	if errors.Is(err, sql.ErrNoRows) || (err == nil && !slices.Contains(kinds, found.Kind)) {
		return challenge.Challenge{}, challenge.ErrGone
	}
	if err != nil {
		return challenge.Challenge{}, fmt.Errorf("read a challenge: %w", err)
	}
	return openChallenge(l.store, &found)
}
