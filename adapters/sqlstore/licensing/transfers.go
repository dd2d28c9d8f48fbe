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

// mostLeft is how many machines from which a license was moved an offline license file names.
const mostLeft = 50

// Transfers returns the repository of transfers of licenses between machines.
func Transfers(tx *sqlstore.Tx) licensing.Transfers { return transfers{tx} }

type transfers struct{ tx *sqlstore.Tx }

// Since counts the transfers of a license after a time.
func (r transfers) Since(ctx context.Context, of license.ID, after time.Time) (count int, err error) {
	err = r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM license_transfers WHERE license_id = ? AND moved_at > ?`, of.String(), sqlstore.At(after))
	if err != nil {
		return 0, fmt.Errorf("count the transfers of a license: %w", err)
	}
	return count, nil
}

// Add stores a transfer.
func (r transfers) Add(ctx context.Context, t license.Transfer) error {
	seal := r.tx.Store().RowSealer("license_transfers", t.ID.String())
	_, err := r.tx.Exec(ctx, `INSERT INTO license_transfers (id, license_id, fingerprint, moved_at, file_until, purge_at) VALUES (?, ?, ?, ?, ?, ?)`,
		t.ID.String(), t.LicenseID.String(), seal("fingerprint", string(t.From)), sqlstore.At(t.MovedAt), sqlstore.At(t.FileUntil), sqlstore.At(t.PurgeAt()))
	if err != nil {
		return fmt.Errorf("add a transfer: %w", err)
	}
	return nil
}

// Vacate stores until a time that a machine freed its place.
func (r transfers) Vacate(ctx context.Context, of license.ID, machine license.Fingerprint, until time.Time) error {
	_, err := r.tx.Exec(ctx, `
		INSERT INTO license_vacancies (license_id, digest, expires_at) VALUES (?, ?, ?)
		ON CONFLICT (license_id, digest) DO UPDATE SET expires_at = excluded.expires_at`,
		of.String(), r.tx.Store().Index(label.Machine, string(machine)), sqlstore.At(until))
	if err != nil {
		return fmt.Errorf("store a freed place: %w", err)
	}
	return nil
}

// Return removes the freed place of a machine, and reports whether there was one.
func (r transfers) Return(ctx context.Context, of license.ID, machine license.Fingerprint, now time.Time) (bool, error) {
	n, err := r.tx.Exec(ctx, `DELETE FROM license_vacancies WHERE license_id = ? AND digest = ? AND expires_at > ?`,
		of.String(), r.tx.Store().Index(label.Machine, string(machine)), sqlstore.At(now))
	if err != nil {
		return false, fmt.Errorf("forget a place that was freed: %w", err)
	}
	return n > 0, nil
}

// Vacant counts the freed places of a license.
func (r transfers) Vacant(ctx context.Context, of license.ID, now time.Time) (count int, err error) {
	err = r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM license_vacancies WHERE license_id = ? AND expires_at > ?`, of.String(), sqlstore.At(now))
	if err != nil {
		return 0, fmt.Errorf("count freed places: %w", err)
	}
	return count, nil
}

// Refill removes the freed place that expires first.
func (r transfers) Refill(ctx context.Context, of license.ID) error {
	_, err := r.tx.Exec(ctx, `DELETE FROM license_vacancies WHERE license_id = ? AND digest = (
		SELECT v.digest FROM license_vacancies v WHERE v.license_id = ? ORDER BY v.expires_at LIMIT 1)`, of.String(), of.String())
	if err != nil {
		return fmt.Errorf("forget a place that was freed: %w", err)
	}
	return nil
}

// Left returns the transfers from machines that may still have a valid license file, newest first.
func (d licenseDirectory) Left(ctx context.Context, id license.ID, now time.Time) ([]license.Transfer, error) {
	var found []struct {
		ID        license.TransferID `db:"id"`
		From      string             `db:"fingerprint"`
		FileUntil sqlstore.Instant   `db:"file_until"`
	}
	err := d.store.Reader(ctx).List(ctx, &found,
		`SELECT id, fingerprint, file_until FROM license_transfers WHERE license_id = ? AND file_until > ?`+sqlstore.Newest(mostLeft), id.String(), sqlstore.At(now))
	if err != nil {
		return nil, fmt.Errorf("list the transfers of a license: %w", err)
	}
	left := make([]license.Transfer, len(found))
	for i, one := range found {
		open := d.store.RowOpener("license_transfers", one.ID.String())
		left[i] = license.Transfer{ID: one.ID, LicenseID: id, From: license.Fingerprint(open.Value("fingerprint", one.From)), FileUntil: one.FileUntil.Time}
		if open.Err != nil {
			return nil, open.Err
		}
	}
	return left, nil
}
