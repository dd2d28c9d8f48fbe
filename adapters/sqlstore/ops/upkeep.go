package ops

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/ports/outbound/ops"
)

// countedUpTo is the estimate above which a table is not counted.
const countedUpTo = 100_000

// Upkeep returns what purges, measures and checks the store.
func Upkeep(store *sqlstore.Store) ops.Upkeep { return upkeep{store} }

type upkeep struct{ store *sqlstore.Store }

// Ping reads a row, and writes one if requests have failed, because a full disk or a server that became
// a standby can still be read.
func (u upkeep) Ping(ctx context.Context) error {
	var id int64
	if err := u.store.Reader(ctx).Get(ctx, &id, `SELECT id FROM instance`); err != nil {
		return fmt.Errorf("reach the store: %w", err)
	}
	return u.store.Probe(ctx)
}

// Migrated returns the version of the stored schema, and the one that the program needs.
func (u upkeep) Migrated(ctx context.Context) (have, want int64, err error) {
	return u.store.Versions(ctx)
}

// Clocks returns the time of the database server, zero if it has no clock of its own, and that of the
// latest event.
func (u upkeep) Clocks(ctx context.Context) (store, newest time.Time, err error) {
	var found struct {
		Now    sqlstore.Instant `db:"now"`
		Newest sqlstore.Instant `db:"newest"`
	}
	if err := u.store.Reader(ctx).Get(ctx, &found, `SELECT {clock} AS now, (SELECT at FROM events ORDER BY id DESC LIMIT 1) AS newest`); err != nil {
		return store, newest, fmt.Errorf("read the database's clock: %w", err)
	}
	return found.Now.Time, found.Newest.Time, nil
}

// Rows returns the number of rows of each table: exact for small ones, estimated by the database for
// large ones.
func (u upkeep) Rows(ctx context.Context) (map[string]int64, error) {
	var tables []struct {
		Name     string `db:"name"`
		Estimate int64  `db:"estimate"`
	}
	q := u.store.Reader(ctx)
	if err := q.Search(ctx, &tables, `{tables}`); err != nil {
		return nil, fmt.Errorf("list the tables: %w", err)
	}
	counted := make(map[string]int64, len(tables))
	for _, table := range tables {
		if table.Estimate > countedUpTo {
			counted[table.Name] = table.Estimate
			continue
		}
		var exact []int64
		if err := q.Search(ctx, &exact, `SELECT COUNT(*) FROM `+table.Name); err != nil {
			return nil, fmt.Errorf("count the rows of %s: %w", table.Name, err)
		}
		counted[table.Name] = exact[0]
	}
	return counted, nil
}

// Bytes returns the size of the database in bytes.
func (u upkeep) Bytes(ctx context.Context) (int64, error) {
	var size []int64
	if err := u.store.Reader(ctx).Search(ctx, &size, `SELECT {store size}`); err != nil {
		return 0, fmt.Errorf("measure the store: %w", err)
	}
	return size[0], nil
}
