package sqlstore

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/ports/outbound"
)

// countedUpTo is the estimate above which a table is not counted.
const countedUpTo = 100_000

// Upkeep looks after the store.
func (s *Store) Upkeep() outbound.Upkeep { return upkeep{s} }

type upkeep struct{ store *Store }

// Ping reads a row, and once requests have failed it writes one: a full disk and a
// server that became a standby still let themselves be read.
func (u upkeep) Ping(ctx context.Context) error {
	var id int64
	if err := u.store.reader(ctx).get(ctx, &id, `SELECT id FROM instance`); err != nil {
		return fmt.Errorf("reach the store: %w", err)
	}
	return u.store.admission.probe(ctx)
}

// Migrated tells the versions of the schema.
func (u upkeep) Migrated(ctx context.Context) (have, want int64, err error) {
	return u.store.versions(ctx)
}

// Clocks reads the database's clock, where that is another process.
func (u upkeep) Clocks(ctx context.Context) (store, newest time.Time, err error) {
	var found struct {
		Now    instant `db:"now"`
		Newest instant `db:"newest"`
	}
	if err := u.store.reader(ctx).get(ctx, &found, `SELECT {clock} AS now, (SELECT at FROM events ORDER BY id DESC LIMIT 1) AS newest`); err != nil {
		return store, newest, fmt.Errorf("read the store's clock: %w", err)
	}
	return found.Now.Time, found.Newest.Time, nil
}

// writer runs statements in the transaction around the command, else each in one
// of its own.
func (s *Store) writer(ctx context.Context) *queries {
	if tx, ok := s.ambient(ctx); ok {
		return tx.q
	}
	return &queries{pool: s.write}
}

// Rows counts small tables, and asks the database for its estimate of large ones.
func (u upkeep) Rows(ctx context.Context) (map[string]int64, error) {
	var tables []struct {
		Name     string `db:"name"`
		Estimate int64  `db:"estimate"`
	}
	q := u.store.reader(ctx)
	if err := q.search(ctx, &tables, `{tables}`); err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	counted := make(map[string]int64, len(tables))
	for _, table := range tables {
		if table.Estimate > countedUpTo {
			counted[table.Name] = table.Estimate
			continue
		}
		var exact []int64
		if err := q.search(ctx, &exact, `SELECT COUNT(*) FROM `+table.Name); err != nil {
			return nil, fmt.Errorf("count the rows of %s: %w", table.Name, err)
		}
		counted[table.Name] = exact[0]
	}
	return counted, nil
}

// Bytes asks the database for its size.
func (u upkeep) Bytes(ctx context.Context) (int64, error) {
	var size []int64
	if err := u.store.reader(ctx).search(ctx, &size, `SELECT {store size}`); err != nil {
		return 0, fmt.Errorf("measure the store: %w", err)
	}
	return size[0], nil
}
