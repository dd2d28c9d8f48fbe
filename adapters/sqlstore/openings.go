package sqlstore

import (
	"context"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/ports/outbound"
)

// Openings stores challenges by themselves.
func (s *Store) Openings() outbound.Openings { return openings{s} }

type openings struct{ store *Store }

// Open stores a challenge by one statement, in the transaction around the command
// where there is one.
func (o openings) Open(ctx context.Context, c challenge.Challenge) error {
	if _, ok := o.store.ambient(ctx); ok {
		return o.store.transact(ctx, func(tx *Tx) error { return tx.Challenges().Open(ctx, c) })
	}
	defer o.store.handOver()
	alone := &Tx{store: o.store, q: &queries{pool: o.store.write}}
	return o.store.retry(ctx, func() error { return alone.Challenges().Open(ctx, c) })
}
