package sqlstore

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/domain/login"
	"gatehouse.internal/ports/outbound"
)

const (
	// purgeBatch is how many rows are removed at once: few enough that nobody waits
	// for it.
	purgeBatch = 500
	// countedUpTo is the estimate above which a table is not counted.
	countedUpTo = 100_000
)

// Upkeep looks after the store.
func (s *Store) Upkeep() outbound.Upkeep { return upkeep{s} }

type upkeep struct{ store *Store }

// Ping reads a row.
func (u upkeep) Ping(ctx context.Context) error {
	var id int64
	if err := u.store.reader(ctx).get(ctx, &id, `SELECT id FROM instance`); err != nil {
		return fmt.Errorf("reach the store: %w", err)
	}
	return nil
}

// Migrated tells the versions of the schema.
func (u upkeep) Migrated(ctx context.Context) (have, want int64, err error) {
	return u.store.versions(ctx)
}

// Purge removes what expired until now. Replicas that purge at once take other rows.
func (u upkeep) Purge(ctx context.Context, kind outbound.PurgeKind, now time.Time) (int, error) {
	var table, key, due string
	until := any(at(now))
	switch kind {
	case outbound.PurgeSessions:
		table, key, due = "sessions", "id", "purge_at"
	case outbound.PurgeLimits:
		table, key, due = "rate_limits", "key", "expires_at"
	case outbound.PurgeAnswers:
		table, key, due = "idempotency", "key", "expires_at"
	case outbound.PurgeLoginFailures:
		table, key, due = "login_failures", "minute", "minute"
		until = minuteOf(now) - login.KeptMinutes
	default:
		return 0, fmt.Errorf("nothing to purge is called %q", kind)
	}
	removed, err := u.store.writer(ctx).exec(ctx, `DELETE FROM `+table+` WHERE `+key+` IN (
		SELECT `+key+` FROM `+table+` WHERE `+due+` <= ? ORDER BY `+due+` LIMIT ? {skip locked})`, until, purgeBatch)
	if err != nil {
		return 0, fmt.Errorf("purge %s: %w", kind, err)
	}
	return int(removed), nil
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
