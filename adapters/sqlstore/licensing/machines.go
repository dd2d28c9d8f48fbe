package licensing

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/ports/outbound/licensing"
)

// Machines returns the repository of the machines of licenses.
func Machines(tx *sqlstore.Tx) licensing.Machines { return machines{tx} }

type machines struct{ tx *sqlstore.Tx }

const machineColumns = `id, license_id, fingerprint, name, platform, metadata, activated_at, beat_at, lapses_at, offline_until, version`

type machineRow struct {
	ID          license.MachineID `db:"id"`
	LicenseID   license.ID        `db:"license_id"`
	Fingerprint string            `db:"fingerprint"`
	Name        string            `db:"name"`
	Platform    string            `db:"platform"`
	Metadata    string            `db:"metadata"`
	ActivatedAt sqlstore.Instant  `db:"activated_at"`
	BeatAt      sqlstore.Instant  `db:"beat_at"`
	LapsesAt    sqlstore.Instant  `db:"lapses_at"`
	OfflineTill sqlstore.Instant  `db:"offline_until"`
	Version     int64             `db:"version"`
}

func (r *machineRow) snapshot(store *sqlstore.Store) (license.MachineSnapshot, error) {
	open := store.RowOpener("license_machines", r.ID.String())
	s := license.MachineSnapshot{
		ID: r.ID, LicenseID: r.LicenseID, Fingerprint: license.Fingerprint(open.Value("fingerprint", r.Fingerprint)),
		Name: open.Value("name", r.Name), Platform: r.Platform, ActivatedAt: r.ActivatedAt.Time, BeatAt: r.BeatAt.Time, LapsesAt: r.LapsesAt.Time,
		OfflineUntil: r.OfflineTill.Time,
	}
	if err := errors.Join(decode(open.Value("metadata", r.Metadata), &s.Metadata), open.Err); err != nil {
		return s, fmt.Errorf("decode the machine %s: %w", r.ID, err)
	}
	return s, nil
}

// one reads the machine that a WHERE clause selects. It fails with license.ErrNoMachine.
func (r machines) one(ctx context.Context, clause string, args ...any) (*license.Machine, error) {
	var found machineRow
	if err := r.tx.One(ctx, &found, license.ErrNoMachine, `SELECT `+machineColumns+` FROM license_machines WHERE `+clause, args...); err != nil {
		return nil, err
	}
	s, err := found.snapshot(r.tx.Store())
	return license.RestoreMachine(s, found.Version), err
}

// ByID reads one machine. It fails with license.ErrNoMachine.
func (r machines) ByID(ctx context.Context, id license.MachineID) (*license.Machine, error) {
	return r.one(ctx, `id = ?`, id.String())
}

// ByFingerprint reads the machine of a license by the digest of its fingerprint. It fails with
// license.ErrNoMachine.
func (r machines) ByFingerprint(ctx context.Context, of license.ID, fingerprint license.Fingerprint) (*license.Machine, error) {
	return r.one(ctx, `license_id = ? AND digest = ?`, of.String(), r.tx.Store().Index(label.Machine, string(fingerprint)))
}

// Alive counts the machines of a license that have not lapsed.
func (r machines) Alive(ctx context.Context, of license.ID, now time.Time) (count int, err error) {
	err = r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM license_machines WHERE license_id = ? AND (lapses_at IS NULL OR lapses_at > ?)`,
		of.String(), sqlstore.At(now))
	if err != nil {
		return 0, fmt.Errorf("count the machines of a license: %w", err)
	}
	return count, nil
}

// Save stores a machine.
func (r machines) Save(ctx context.Context, m *license.Machine) error {
	s, store := m.Snapshot(), r.tx.Store()
	seal := store.RowSealer("license_machines", s.ID.String())
	metadata, err := encode(s.Metadata)
	if err != nil {
		return fmt.Errorf("encode the metadata of a machine: %w", err)
	}
	return r.tx.Save(ctx, "license_machines", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"license_id", s.LicenseID.String()},
		{"digest", store.Index(label.Machine, string(s.Fingerprint))},
		{"fingerprint", seal("fingerprint", string(s.Fingerprint))},
		{"name", seal("name", s.Name)},
		{"platform", s.Platform},
		{"metadata", seal("metadata", metadata)},
		{"activated_at", sqlstore.At(s.ActivatedAt)},
		{"beat_at", sqlstore.At(s.BeatAt)},
		{"lapses_at", sqlstore.At(s.LapsesAt)},
		{"offline_until", sqlstore.At(s.OfflineUntil)},
	}, m)
}

// Delete removes a machine.
func (r machines) Delete(ctx context.Context, m *license.Machine) error {
	return r.tx.Delete(ctx, "license_machines", sqlstore.Row{{"id", m.Snapshot().ID.String()}}, m)
}

// MachineDirectory returns the directory of the machines of licenses.
func MachineDirectory(store *sqlstore.Store) licensing.MachineDirectory {
	return machineDirectory{store}
}

type machineDirectory struct{ store *sqlstore.Store }

// List returns machines, newest first.
func (d machineDirectory) List(ctx context.Context, query licensing.MachineQuery) ([]license.MachineSnapshot, error) {
	f := &sqlstore.Filter{}
	f.Where("license_id = ?", query.License.String())
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	switch now := sqlstore.At(query.Now); {
	case query.Lapsed == nil:
	case *query.Lapsed:
		f.Where("lapses_at <= ?", now)
	default:
		f.Where("(lapses_at IS NULL OR lapses_at > ?)", now)
	}
	var found []machineRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+machineColumns+` FROM license_machines`+f.String()+sqlstore.Newest(query.Limit), f.Args...)
	if err != nil {
		return nil, fmt.Errorf("list machines: %w", err)
	}
	return sqlstore.Map(found, func(r *machineRow) (license.MachineSnapshot, error) { return r.snapshot(d.store) })
}
