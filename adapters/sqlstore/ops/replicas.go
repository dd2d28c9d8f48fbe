package ops

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/audit"
	"gatehouse.internal/ports/outbound/ops"
)

// Replicas stores which replicas run.
func Replicas(store *sqlstore.Store) ops.Replicas { return replicas{store} }

type replicas struct{ store *sqlstore.Store }

// replicaRow is a row of the table replicas.
type replicaRow struct {
	ID         string           `db:"id"`
	Version    string           `db:"version"`
	StartedAt  sqlstore.Instant `db:"started_at"`
	LastSeenAt sqlstore.Instant `db:"last_seen_at"`
	SkewMS     int64            `db:"clock_skew_ms"`
	Format     audit.Format     `db:"audit_format"`
}

// Announce stores a replica, with the time of the database's clock.
func (r replicas) Announce(ctx context.Context, one ops.Replica, now time.Time, forget time.Duration) error {
	return r.store.Transact(ctx, func(tx *sqlstore.Tx) error {
		var clock sqlstore.Instant
		if err := tx.Get(ctx, &clock, `SELECT {clock} AS now`); err != nil {
			return fmt.Errorf("read the database's clock: %w", err)
		}
		seen, skew := now, time.Duration(0)
		if !clock.IsZero() {
			seen, skew = clock.Time, now.Sub(clock.Time)
		}
		_, err := tx.Exec(ctx, `
			INSERT INTO replicas (id, version, started_at, last_seen_at, clock_skew_ms, audit_format) VALUES (?, ?, ?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET last_seen_at = excluded.last_seen_at, clock_skew_ms = excluded.clock_skew_ms`,
			one.ID, one.Version, sqlstore.At(one.StartedAt), sqlstore.At(seen), skew.Milliseconds(), one.AuditFormat)
		if err == nil {
			_, err = tx.Exec(ctx, `DELETE FROM replicas WHERE last_seen_at < ?`, sqlstore.At(seen.Add(-forget)))
		}
		if err != nil {
			return fmt.Errorf("announce a replica: %w", err)
		}
		return nil
	})
}

// Leave removes a replica.
func (r replicas) Leave(ctx context.Context, id string) error {
	return r.store.AtOnce(ctx, func(tx *sqlstore.Tx) error {
		if _, err := tx.Exec(ctx, `DELETE FROM replicas WHERE id = ?`, id); err != nil {
			return fmt.Errorf("forget a replica: %w", err)
		}
		return nil
	})
}

// List reads the replicas that were seen since a time.
func (r replicas) List(ctx context.Context, since time.Time) ([]ops.Replica, error) {
	var found []replicaRow
	err := r.store.Reader(ctx).List(ctx, &found, `SELECT id, version, started_at, last_seen_at, clock_skew_ms, audit_format FROM replicas
		WHERE last_seen_at >= ? ORDER BY started_at, id`, sqlstore.At(since))
	if err != nil {
		return nil, fmt.Errorf("list replicas: %w", err)
	}
	listed := make([]ops.Replica, len(found))
	for i, row := range found {
		listed[i] = ops.Replica{
			ID: row.ID, Version: row.Version, AuditFormat: row.Format, StartedAt: row.StartedAt.Time, LastSeenAt: row.LastSeenAt.Time,
			Skew: time.Duration(row.SkewMS) * time.Millisecond,
		}
	}
	return listed, nil
}
