package licensing

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"slices"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

// Ended returns the queue of licenses, leases and machines that have expired without a command.
func Ended(tx *sqlstore.Tx) licensing.Ended { return ended{tx} }

type ended struct{ tx *sqlstore.Tx }

// endedRow is a license, or a lease or machine of one, with its end.
type endedRow struct {
	ID         string           `db:"id"`
	At         sqlstore.Instant `db:"ended_at"`
	LicenseID  license.ID       `db:"license_id"`
	OrgID      workspace.ID     `db:"org_id"`
	ProductID  product.ID       `db:"product_id"`
	UserID     sql.NullString   `db:"user_id"`
	OwnerOrgID sql.NullString   `db:"owner_org_id"`
	Live       bool             `db:"live"`
}

// endedColumns are the columns of an endedRow that belong to a license l.
const endedColumns = `l.id AS license_id, l.org_id, l.product_id, l.user_id, l.owner_org_id, (l.` + live + `) AS live`

func (r *endedRow) about() license.About {
	return license.About{
		LicenseID: r.LicenseID, OrgID: r.OrgID, ProductID: r.ProductID,
		UserID: user.ID(r.UserID.String), OwnerOrgID: workspace.ID(r.OwnerOrgID.String),
	}
}

// mark is the end, and the id, of the last row of a table for which an event was recorded.
type mark struct {
	Until sqlstore.Instant `db:"until"`
	ID    string           `db:"id"`
}

// hold reads the mark of a table under a lock; the first call inserts it.
func (r ended) hold(ctx context.Context, table string) (m mark, err error) {
	if _, err := r.tx.Exec(ctx, `INSERT INTO license_ends (kind, id) VALUES (?, '') ON CONFLICT (kind) DO NOTHING`, table); err != nil {
		return m, fmt.Errorf("insert the mark of %s: %w", table, err)
	}
	if err := r.tx.Get(ctx, &m, `SELECT until, id FROM license_ends WHERE kind = ? {for update}`, table); err != nil {
		return m, fmt.Errorf("read the mark of %s: %w", table, err)
	}
	return m, nil
}

// Licenses returns events for licenses that expired, and reports whether there may be more. It stores in
// each license for which end an event was recorded, because an end can be changed to any time.
func (r ended) Licenses(ctx context.Context, now time.Time, most int) (events []event.Data, more bool, err error) {
	if _, err := r.hold(ctx, "licenses"); err != nil {
		return nil, false, err
	}
	var found []endedRow
	err = r.tx.List(ctx, &found, `SELECT l.id, l.ends_at AS ended_at, `+endedColumns+` FROM licenses l
		WHERE l.status = 'active' AND l.ends_at IS NOT NULL AND (l.told_ends_at IS NULL OR l.told_ends_at <> l.ends_at) AND l.ends_at <= ?
		ORDER BY l.ends_at LIMIT ?`, sqlstore.At(now), most)
	if err != nil {
		return nil, false, fmt.Errorf("find licenses that expired: %w", err)
	}
	// All transactions that change several licenses lock them in the order of their identifiers.
	slices.SortFunc(found, func(a, b endedRow) int { return cmp.Compare(a.ID, b.ID) })
	for _, one := range found {
		n, err := r.tx.Exec(ctx, `UPDATE licenses SET told_ends_at = ends_at WHERE id = ? AND status = 'active' AND ends_at = ?`, one.ID, one.At)
		if err != nil {
			return nil, false, fmt.Errorf("store that a license expired: %w", err)
		}
		if n > 0 && one.Live {
			events = append(events, license.ExpiredEvent{About: one.about(), EndedAt: one.At.Time})
		}
	}
	return events, len(found) == most, nil
}

// Leases returns events for leases that ended after the mark.
func (r ended) Leases(ctx context.Context, now time.Time, most int) ([]event.Data, bool, error) {
	return r.after(ctx, "license_leases", "ends_at", window{now, most}, func(one endedRow) event.Data {
		return license.LeaseExpired{About: one.about(), LeaseID: license.LeaseID(one.ID), EndedAt: one.At.Time}
	})
}

// Machines returns events for machines that lapsed after the mark.
func (r ended) Machines(ctx context.Context, now time.Time, most int) ([]event.Data, bool, error) {
	return r.after(ctx, "license_machines", "lapses_at", window{now, most}, func(one endedRow) event.Data {
		return license.MachineLapsed{About: one.about(), MachineID: license.MachineID(one.ID), EndedAt: one.At.Time}
	})
}

// window bounds the rows after a mark: at most so many, with an end until a time.
type window struct {
	now  time.Time
	most int
}

// after returns an event for each row of a table whose end, in a column, is after the mark of the table,
// and advances the mark.
func (r ended) after(ctx context.Context, table, column string, upTo window, eventOf func(endedRow) event.Data) (events []event.Data, more bool, err error) {
	from, err := r.hold(ctx, table)
	if err != nil {
		return nil, false, err
	}
	if from.Until.IsZero() {
		from.Until = sqlstore.At(time.Unix(0, 0))
	}
	var found []endedRow
	err = r.tx.List(ctx, &found, `SELECT s.id, s.`+column+` AS ended_at, `+endedColumns+` FROM `+table+` s JOIN licenses l ON l.id = s.license_id
		WHERE s.`+column+` >= ? AND s.`+column+` <= ? AND (s.`+column+` > ? OR s.id > ?) ORDER BY s.`+column+`, s.id LIMIT ?`,
		from.Until, sqlstore.At(upTo.now), from.Until, from.ID, upTo.most)
	if err != nil {
		return nil, false, fmt.Errorf("find ended rows of %s: %w", table, err)
	}
	if len(found) == 0 {
		return nil, false, nil
	}
	for _, one := range found {
		if one.Live {
			events = append(events, eventOf(one))
		}
	}
	last := found[len(found)-1]
	if _, err := r.tx.Exec(ctx, `UPDATE license_ends SET until = ?, id = ? WHERE kind = ?`, last.At, last.ID, table); err != nil {
		return nil, false, fmt.Errorf("advance the mark of %s: %w", table, err)
	}
	return events, len(found) == upTo.most, nil
}
