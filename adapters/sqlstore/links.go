package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/ports/outbound"
)

// Links looks at what links are for.
func (s *Store) Links() outbound.Links { return links{s} }

type links struct{ store *Store }

// Find reads one challenge.
func (l links) Find(ctx context.Context, digest string, now time.Time, kinds ...challenge.Kind) (challenge.Challenge, error) {
	var found challengeRow
	err := l.store.reader(ctx).get(ctx, &found,
		`SELECT `+challengeColumns+` FROM challenges WHERE digest = ? AND expires_at > ?`, digest, at(now))
	if errors.Is(err, sql.ErrNoRows) || (err == nil && !slices.Contains(kinds, found.Kind)) {
		return challenge.Challenge{}, challenge.ErrGone
	}
	if err != nil {
		return challenge.Challenge{}, fmt.Errorf("read a challenge: %w", err)
	}
	return l.store.challenge(&found)
}
