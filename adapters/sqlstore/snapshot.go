package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
)

// Snapshot runs several look-ups on one consistent snapshot of the store, unless they run in the
// transaction around a command.
func (s *Store) Snapshot(ctx context.Context, read func(*Queries) error) error {
	if tx, ok := s.begun(ctx); ok {
		return read(tx.Queries)
	}
	inner, err := s.read.db.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin a snapshot: %w", err)
	}
	q := &Queries{pool: s.read, tx: inner, unknown: map[string]bool{}}
	defer q.learn(ctx)
	defer func() { _ = inner.Rollback() }() // it changed nothing
	return read(q)
}
