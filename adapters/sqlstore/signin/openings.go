package signin

import (
	"context"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/ports/outbound/signin"
)

// Openings returns the port that stores challenges outside a unit of work.
func Openings(store *sqlstore.Store) signin.Openings { return openings{store} }

type openings struct{ store *sqlstore.Store }

// Open stores a challenge by one statement, in the transaction around the command
// where there is one.
func (o openings) Open(ctx context.Context, c challenge.Challenge) error {
	return o.store.AtOnce(ctx, func(tx *sqlstore.Tx) error { return Challenges(tx).Open(ctx, c) })
}
