package licensing

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/batch"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
)

// standings reads what the validation of license keys depends on, for concurrent callers by one statement.
type standings struct {
	store *sqlstore.Store
	group batch.Group[standingAsk, []standingRow]
}

func newStandings(store *sqlstore.Store) *standings {
	s := &standings{store: store}
	s.group.Run = s.run
	return s
}

// standingAsk is the parameter of a look-up: the digests of a key and of the fingerprint of a machine, "" for
// none.
type standingAsk struct {
	Key     string    `db:"asked_key"`
	Machine string    `db:"asked_machine"`
	Now     time.Time `db:"-"`
}

// standingRow is a license with its counts and the state of a machine. There is one row for each meter that was
// used, or else one.
type standingRow struct {
	standingAsk
	licenseRow

	Product  product.Slug      `db:"product_slug"`
	Sold     string            `db:"sold"`
	Moved    bool              `db:"moved"`
	OnID     license.MachineID `db:"machine_id"`
	LapsesAt sqlstore.Instant  `db:"lapses_at"`
	Offline  sqlstore.Instant  `db:"offline_until"`
	Machines int               `db:"machines"`
	Leases   int               `db:"leases"`
	Leased   bool              `db:"leased"`
	Meter    sql.NullString    `db:"meter"`
	Period   sql.NullString    `db:"period"`
	Used     sql.NullInt64     `db:"used"`
}

// run answers a batch of look-ups, at the latest of their times.
func (s *standings) run(ctx context.Context, asked []standingAsk) ([]batch.Outcome[[]standingRow], error) {
	table, now := make(sqlstore.Rows, 0, len(asked)), time.Time{}
	found := make(map[[2]string][]standingRow, len(asked))
	for _, one := range asked {
		if one.Now.After(now) {
			now = one.Now
		}
		if _, twice := found[[2]string{one.Key, one.Machine}]; !twice {
			found[[2]string{one.Key, one.Machine}] = nil
			table = append(table, []any{one.Key, one.Machine})
		}
	}
	var rows []standingRow
	at, periods := sqlstore.At(now), license.Labels(now)
	err := s.store.Committed().List(ctx, &rows, `
		SELECT r.asked_key, r.asked_machine, `+sqlstore.Qualified("l", licenseColumns)+`, COALESCE(m.id, '') AS machine_id, m.lapses_at, m.offline_until,
			p.slug AS product_slug, p.features AS sold, u.meter, u.period, u.used,
			EXISTS (SELECT 1 FROM license_transfers t WHERE t.license_id = l.id AND t.file_until > ?) AS moved,
			CASE WHEN m.id IS NULL AND r.asked_machine <> '' THEN
				(SELECT COUNT(*) FROM license_machines a WHERE a.license_id = l.id AND (a.lapses_at IS NULL OR a.lapses_at > ?)) ELSE 0 END AS machines,
			(SELECT COUNT(*) FROM license_leases s WHERE s.license_id = l.id AND s.ends_at > ?) AS leases,
			EXISTS (SELECT 1 FROM license_leases s WHERE s.license_id = l.id AND s.machine = r.asked_machine AND s.ends_at > ?) AS leased
		FROM {rows asked_key text, asked_machine text}
		JOIN license_keys k ON k.digest = r.asked_key AND (k.ends_at IS NULL OR k.ends_at > ?)
		JOIN licenses l ON l.id = k.license_id JOIN workspaces w ON w.id = l.org_id AND w.deleted_at IS NULL JOIN products p ON p.id = l.product_id
		LEFT JOIN license_machines m ON m.license_id = l.id AND m.digest = r.asked_machine
		LEFT JOIN license_usage u ON u.license_id = l.id AND u.period IN (?, ?, ?)`,
		at, at, at, at, table, at, periods[0], periods[1], periods[2])
	if err != nil {
		return nil, fmt.Errorf("read the standing of licenses: %w", err)
	}
	for _, one := range rows {
		of := [2]string{one.Key, one.Machine}
		found[of] = append(found[of], one)
	}
	outcomes := make([]batch.Outcome[[]standingRow], len(asked))
	for i, one := range asked {
		outcomes[i].Answer = found[[2]string{one.Key, one.Machine}]
	}
	return outcomes, nil
}

// Standing reads what the validation of a license key depends on, in one batch with concurrent calls. It fails
// with license.ErrNotFound.
func (d licenseDirectory) Standing(ctx context.Context, canonical, fingerprint string, now time.Time) (license.State, error) {
	ask := standingAsk{Key: d.store.Index(label.LicenseKey, canonical), Now: now}
	if fingerprint != "" {
		ask.Machine = d.store.Index(label.Machine, fingerprint)
	}
	found, err := d.standings.group.Do(ctx, ask)
	if err != nil {
		return license.State{}, err
	}
	if len(found) == 0 {
		return license.State{}, license.ErrNotFound
	}
	var used []license.Usage
	for _, one := range found {
		if one.Meter.Valid {
			used = append(used, license.Usage{Meter: one.Meter.String, Period: one.Period.String, Used: one.Used.Int64})
		}
	}
	s, err := found[0].snapshot(d.store)
	var sold feature.Values
	if err2 := decode(found[0].Sold, &sold); err2 != nil {
		err = errors.Join(err, fmt.Errorf("decode the features of a product: %w", err2))
	}
	return license.State{
		License: s, Product: found[0].Product, Sold: sold, Moved: found[0].Moved, Machine: found[0].OnID, Machines: found[0].Machines,
		Alive: license.MachineSnapshot{LapsesAt: found[0].LapsesAt.Time}.Alive(now), OfflineUntil: found[0].Offline.Time,
		Leases: found[0].Leases, Leased: found[0].Leased, Spent: s.Terms.Spent(used, now),
	}, err
}
