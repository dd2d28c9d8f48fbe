package sqlstore

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/ports/outbound/machines"
)

// Proofs returns the port for keys that can be used only once.
func (s *Store) Proofs() machines.Proofs { return s.proofs }

type proofs struct {
	store *Store
	group batch.Group[use, bool]
}

// use is one key to take.
type use struct {
	key     string
	expires time.Time
}

func newProofs(s *Store) *proofs {
	p := &proofs{store: s}
	p.group.Run = p.run
	return p
}

// Use takes a key, batched with concurrent calls, or in the transaction around the command.
func (p *proofs) Use(ctx context.Context, key string, expires time.Time) (bool, error) {
	one := use{key: key, expires: expires}
	if outer, ok := p.store.ambient(ctx); ok {
		taken, err := p.take(ctx, outer.Queries, []use{one})
		return taken[key], err
	}
	return p.group.Do(ctx, one)
}

// run takes a batch of keys in one commit. Keys are taken in order, so that replicas which
// take the same ones do not deadlock. A batch that is retried after an unknown outcome may
// find its own keys taken and report them as used, which errs on the safe side.
func (p *proofs) run(ctx context.Context, asked []use) ([]batch.Outcome[bool], error) {
	chosen := slices.Clone(asked)
	slices.SortStableFunc(chosen, func(a, b use) int { return cmp.Compare(a.key, b.key) })
	chosen = slices.CompactFunc(chosen, func(a, b use) bool { return a.key == b.key })
	var taken map[string]bool
	err := p.store.retry(ctx, func() (err error) {
		if p.store.database.ChangesInWith {
			taken, err = p.take(ctx, &Queries{pool: p.store.hot}, chosen)
			return err
		}
		return p.store.transactOn(ctx, p.store.hot, func(tx *Tx) (err error) {
			taken, err = p.take(ctx, tx.Queries, chosen)
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	outcomes := make([]batch.Outcome[bool], len(asked))
	for i, one := range asked {
		outcomes[i].Answer = taken[one.key]
		delete(taken, one.key) // only the first of equal keys took it
	}
	return outcomes, nil
}

// WHERE TRUE lets SQLite tell this ON from that of a join.
const takeProofs = `
INSERT INTO dpop_proofs (key, expires_at) SELECT r.key, r.expires_at FROM {rows key text, expires_at time}
WHERE TRUE ON CONFLICT (key) DO NOTHING RETURNING key`

// take stores keys and returns those that were not there before.
func (p *proofs) take(ctx context.Context, q *Queries, chosen []use) (map[string]bool, error) {
	table := make(Rows, len(chosen))
	for i, one := range chosen {
		table[i] = []any{one.key, At(one.expires)}
	}
	var stored []string
	if err := q.List(ctx, &stored, takeProofs, table); err != nil {
		return nil, fmt.Errorf("take what may be used once: %w", err)
	}
	taken := make(map[string]bool, len(stored))
	for _, key := range stored {
		taken[key] = true
	}
	return taken, nil
}
