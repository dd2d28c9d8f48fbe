package licensing

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/ports/outbound/licensing"
)

// Meters returns the repository of the usage of metered licenses.
func Meters(tx *sqlstore.Tx) licensing.Meters { return meters{tx} }

type meters struct{ tx *sqlstore.Tx }

// Used reads one counter; one without a row is at 0.
func (r meters) Used(ctx context.Context, of license.ID, meter, period string) (license.Usage, error) {
	u := license.Usage{Meter: meter, Period: period}
	var found []struct {
		Used     int64 `db:"used"`
		Exceeded bool  `db:"exceeded"`
	}
	err := r.tx.List(ctx, &found, `SELECT used, exceeded FROM license_usage WHERE license_id = ? AND period = ? AND meter = ?`,
		of.String(), period, meter)
	if err != nil {
		return u, fmt.Errorf("read usage: %w", err)
	}
	if len(found) > 0 {
		u.Used, u.Exceeded = found[0].Used, found[0].Exceeded
	}
	return u, nil
}

// Save stores one counter. The caller has locked the license since before it read the counter.
func (r meters) Save(ctx context.Context, of license.ID, u license.Usage) error {
	_, err := r.tx.Exec(ctx, `
		INSERT INTO license_usage (license_id, period, meter, used, exceeded, purge_at) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (license_id, period, meter) DO UPDATE SET used = excluded.used, exceeded = excluded.exceeded, purge_at = excluded.purge_at`,
		of.String(), u.Period, u.Meter, u.Used, u.Exceeded, sqlstore.At(u.PurgeAt))
	if err != nil {
		return fmt.Errorf("store usage: %w", err)
	}
	return nil
}

// Counted reports whether the name of a use is stored and has not expired.
func (r meters) Counted(ctx context.Context, of license.ID, name string, now time.Time) (bool, error) {
	var found []int
	err := r.tx.List(ctx, &found, `SELECT 1 FROM license_uses WHERE license_id = ? AND digest = ? AND expires_at > ?`,
		of.String(), r.tx.Store().Index(label.LicenseUse, name), sqlstore.At(now))
	if err != nil {
		return false, fmt.Errorf("look for a use: %w", err)
	}
	return len(found) > 0, nil
}

// Note stores the name of a use until a time.
func (r meters) Note(ctx context.Context, of license.ID, name string, until time.Time) error {
	_, err := r.tx.Exec(ctx, `
		INSERT INTO license_uses (license_id, digest, expires_at) VALUES (?, ?, ?)
		ON CONFLICT (license_id, digest) DO UPDATE SET expires_at = excluded.expires_at`,
		of.String(), r.tx.Store().Index(label.LicenseUse, name), sqlstore.At(until))
	if err != nil {
		return fmt.Errorf("note a use: %w", err)
	}
	return nil
}
