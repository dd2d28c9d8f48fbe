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

// Leases returns the repository of leases of floating seats.
func Leases(tx *sqlstore.Tx) licensing.Leases { return leases{tx} }

type leases struct{ tx *sqlstore.Tx }

const leaseColumns = `id, license_id, machine_text, user_text, minutes, acquired_at, ends_at, version`

type leaseRow struct {
	ID         license.LeaseID  `db:"id"`
	LicenseID  license.ID       `db:"license_id"`
	Machine    string           `db:"machine_text"`
	User       string           `db:"user_text"`
	Minutes    int              `db:"minutes"`
	AcquiredAt sqlstore.Instant `db:"acquired_at"`
	EndsAt     sqlstore.Instant `db:"ends_at"`
	Version    int64            `db:"version"`
}

func (r *leaseRow) snapshot(store *sqlstore.Store) (license.LeaseSnapshot, error) {
	open := store.RowOpener("license_leases", r.ID.String())
	s := license.LeaseSnapshot{
		ID: r.ID, LicenseID: r.LicenseID, Machine: license.Fingerprint(open.Value("machine_text", r.Machine)), User: open.Value("user_text", r.User),
		Minutes: r.Minutes, AcquiredAt: r.AcquiredAt.Time, EndsAt: r.EndsAt.Time,
	}
	return s, open.Err
}

// one reads the lease that a WHERE clause selects. It fails with license.ErrNoLease.
func (r leases) one(ctx context.Context, clause string, args ...any) (*license.Lease, error) {
	var found leaseRow
	if err := r.tx.One(ctx, &found, license.ErrNoLease, `SELECT `+leaseColumns+` FROM license_leases WHERE `+clause, args...); err != nil {
		return nil, err
	}
	s, err := found.snapshot(r.tx.Store())
	return license.RestoreLease(s, found.Version), err
}

// ByID reads one lease. It fails with license.ErrNoLease.
func (r leases) ByID(ctx context.Context, id license.LeaseID) (*license.Lease, error) {
	return r.one(ctx, `id = ?`, id.String())
}

// Of reads the lease of a user on a machine. It fails with license.ErrNoLease.
func (r leases) Of(ctx context.Context, of license.ID, machine license.Fingerprint, person string) (*license.Lease, error) {
	store := r.tx.Store()
	return r.one(ctx, `license_id = ? AND machine = ? AND person = ?`,
		of.String(), store.Index(label.Machine, string(machine)), store.Index(label.LeaseUser, person))
}

// Held counts the leases of a license that have not ended.
func (r leases) Held(ctx context.Context, of license.ID, now time.Time) (int, error) {
	return held(ctx, r.tx.Queries, of, now)
}

func held(ctx context.Context, q *sqlstore.Queries, of license.ID, now time.Time) (count int, err error) {
	err = q.Get(ctx, &count, `SELECT COUNT(*) FROM license_leases WHERE license_id = ? AND ends_at > ?`, of.String(), sqlstore.At(now))
	if err != nil {
		return 0, fmt.Errorf("count the leases of a license: %w", err)
	}
	return count, nil
}

// Save stores a lease.
func (r leases) Save(ctx context.Context, l *license.Lease) error {
	s, store := l.Snapshot(), r.tx.Store()
	seal := store.RowSealer("license_leases", s.ID.String())
	return r.tx.Save(ctx, "license_leases", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"license_id", s.LicenseID.String()},
		{"machine", store.Index(label.Machine, string(s.Machine))},
		{"person", store.Index(label.LeaseUser, s.User)},
		{"machine_text", seal("machine_text", string(s.Machine))},
		{"user_text", seal("user_text", s.User)},
		{"minutes", s.Minutes},
		{"acquired_at", sqlstore.At(s.AcquiredAt)},
		{"ends_at", sqlstore.At(s.EndsAt)},
	}, l)
}

// Delete removes a lease.
func (r leases) Delete(ctx context.Context, l *license.Lease) error {
	return r.tx.Delete(ctx, "license_leases", sqlstore.Row{{"id", l.Snapshot().ID.String()}}, l)
}

// End removes all leases of a machine.
func (r leases) End(ctx context.Context, of license.ID, machine license.Fingerprint) error {
	_, err := r.tx.Exec(ctx, `DELETE FROM license_leases WHERE license_id = ? AND machine = ?`,
		of.String(), r.tx.Store().Index(label.Machine, string(machine)))
	if err != nil {
		return fmt.Errorf("end the leases of a machine: %w", err)
	}
	return nil
}

// LeaseDirectory returns the directory of leases.
func LeaseDirectory(store *sqlstore.Store) licensing.LeaseDirectory { return leaseDirectory{store} }

type leaseDirectory struct{ store *sqlstore.Store }

// List returns the leases of a license that have not ended, newest first.
func (d leaseDirectory) List(ctx context.Context, of license.ID, now time.Time, limit int) ([]license.LeaseSnapshot, error) {
	var found []leaseRow
	err := d.store.Reader(ctx).List(ctx, &found,
		`SELECT `+leaseColumns+` FROM license_leases WHERE license_id = ? AND ends_at > ?`+sqlstore.Newest(limit), of.String(), sqlstore.At(now))
	if err != nil {
		return nil, fmt.Errorf("list leases: %w", err)
	}
	return sqlstore.Map(found, func(r *leaseRow) (license.LeaseSnapshot, error) { return r.snapshot(d.store) })
}

// Held counts the leases of a license that have not ended.
func (d leaseDirectory) Held(ctx context.Context, of license.ID, now time.Time) (int, error) {
	return held(ctx, d.store.Reader(ctx), of, now)
}
