package licensing

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/licence"
	"gatehouse.internal/domain/product"
)

// standingRow is a licence with what a machine has of it, once for each meter that was
// used.
type standingRow struct {
	licenceRow

	Product  product.Slug      `db:"product_slug"`
	Machine  licence.MachineID `db:"machine_id"`
	LapsesAt sqlstore.Instant  `db:"lapses_at"`
	Machines int               `db:"machines"`
	Leases   int               `db:"leases"`
	Leased   int               `db:"leased"`
	Meter    sql.NullString    `db:"meter"`
	Period   sql.NullString    `db:"period"`
	Used     sql.NullInt64     `db:"used"`
}

// Standing reads a licence with its counts by the digest of a key.
func (d licenceDirectory) Standing(ctx context.Context, canonical, fingerprint string, now time.Time) (licence.Standing, error) {
	var found []standingRow
	at, machine, periods := sqlstore.At(now), d.store.Index(machineLabel, fingerprint), licence.Labels(now)
	err := d.store.Committed().List(ctx, &found, `
		SELECT `+sqlstore.Qualified("l", licenceColumns)+`, COALESCE(m.id, '') AS machine_id, m.lapses_at, p.slug AS product_slug, u.meter, u.period, u.used,
			(SELECT COUNT(*) FROM license_machines a WHERE a.license_id = l.id AND (a.lapses_at IS NULL OR a.lapses_at > ?)) AS machines,
			(SELECT COUNT(*) FROM license_leases s WHERE s.license_id = l.id AND s.ends_at > ?) AS leases,
			(SELECT COUNT(*) FROM license_leases s WHERE s.license_id = l.id AND s.machine = ? AND s.ends_at > ?) AS leased
		FROM license_keys k JOIN licenses l ON l.id = k.license_id JOIN workspaces w ON w.id = l.org_id AND w.deleted_at IS NULL JOIN products p ON p.id = l.product_id
		LEFT JOIN license_machines m ON m.license_id = l.id AND m.digest = ?
		LEFT JOIN license_usage u ON u.license_id = l.id AND u.period IN (?, ?, ?)
		WHERE k.digest = ? AND (k.ends_at IS NULL OR k.ends_at > ?)`,
		at, at, machine, at, machine, periods[0], periods[1], periods[2], d.store.Index(keyLabel, canonical), at)
	if err != nil {
		return licence.Standing{}, fmt.Errorf("read the standing of a licence: %w", err)
	}
	if len(found) == 0 {
		return licence.Standing{}, licence.ErrNotFound
	}
	var used []licence.Usage
	for _, one := range found {
		if one.Meter.Valid {
			used = append(used, licence.Usage{Meter: one.Meter.String, Period: one.Period.String, Used: one.Used.Int64})
		}
	}
	s, err := found[0].snapshot(d.store)
	return licence.Standing{
		Licence: s, Product: found[0].Product, Machine: found[0].Machine, Machines: found[0].Machines,
		Alive:  licence.MachineSnapshot{LapsesAt: found[0].LapsesAt.Time}.Alive(now),
		Leases: found[0].Leases, Leased: found[0].Leased > 0, Spent: s.Terms.Spent(used, now),
	}, err
}
