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
	"gatehouse.internal/domain/licence"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

// Ended returns what the clock has ended.
func Ended(tx *sqlstore.Tx) licensing.Ended { return ended{tx} }

type ended struct{ tx *sqlstore.Tx }

// endedRow is a licence, or what hangs on one, with its end.
type endedRow struct {
	ID         string           `db:"id"`
	At         sqlstore.Instant `db:"ended_at"`
	LicenceID  licence.ID       `db:"license_id"`
	OrgID      workspace.ID     `db:"org_id"`
	ProductID  product.ID       `db:"product_id"`
	UserID     sql.NullString   `db:"user_id"`
	OwnerOrgID sql.NullString   `db:"owner_org_id"`
	Live       bool             `db:"live"`
}

// endedColumns are those of a licence l.
const endedColumns = `l.id AS license_id, l.org_id, l.product_id, l.user_id, l.owner_org_id, (l.` + live + `) AS live`

func (r *endedRow) about() licence.About {
	return licence.About{
		LicenseID: r.LicenceID, OrgID: r.OrgID, ProductID: r.ProductID,
		UserID: user.ID(r.UserID.String), OwnerOrgID: workspace.ID(r.OwnerOrgID.String),
	}
}

// mark is how far ends of a kind are told.
type mark struct {
	Until sqlstore.Instant `db:"until"`
	ID    string           `db:"id"`
}

// hold reads the mark of a table, which begins with the first question, under a lock.
func (r ended) hold(ctx context.Context, table string) (m mark, err error) {
	if _, err := r.tx.Exec(ctx, `INSERT INTO license_ends (kind, id) VALUES (?, '') ON CONFLICT (kind) DO NOTHING`, table); err != nil {
		return m, fmt.Errorf("begin to tell ends of %s: %w", table, err)
	}
	if err := r.tx.Get(ctx, &m, `SELECT until, id FROM license_ends WHERE kind = ? {for update}`, table); err != nil {
		return m, fmt.Errorf("read how far ends of %s are told: %w", table, err)
	}
	return m, nil
}

// Licences finds licences by the end that was told last of each: that may be set to
// any time.
func (r ended) Licences(ctx context.Context, now time.Time, most int) (told []event.Data, more bool, err error) {
	if _, err := r.hold(ctx, "licenses"); err != nil {
		return nil, false, err
	}
	var found []endedRow
	err = r.tx.List(ctx, &found, `SELECT l.id, l.ends_at AS ended_at, `+endedColumns+` FROM licenses l
		WHERE l.status = 'active' AND l.ends_at IS NOT NULL AND (l.told_ends_at IS NULL OR l.told_ends_at <> l.ends_at) AND l.ends_at <= ?
		ORDER BY l.ends_at LIMIT ?`, sqlstore.At(now), most)
	if err != nil {
		return nil, false, fmt.Errorf("find licences that expired: %w", err)
	}
	// Whoever changes several licences takes them in the order of their identifiers too.
	slices.SortFunc(found, func(a, b endedRow) int { return cmp.Compare(a.ID, b.ID) })
	for _, one := range found {
		n, err := r.tx.Exec(ctx, `UPDATE licenses SET told_ends_at = ends_at WHERE id = ? AND status = 'active' AND ends_at = ?`, one.ID, one.At)
		if err != nil {
			return nil, false, fmt.Errorf("note that a licence expired: %w", err)
		}
		if n > 0 && one.Live {
			told = append(told, licence.ExpiredEvent{About: one.about(), EndedAt: one.At.Time})
		}
	}
	return told, len(found) == most, nil
}

// Leases finds leases behind their mark.
func (r ended) Leases(ctx context.Context, now time.Time, most int) ([]event.Data, bool, error) {
	return r.behind(ctx, "license_leases", "ends_at", window{now, most}, func(one endedRow) event.Data {
		return licence.LeaseExpired{About: one.about(), LeaseID: licence.LeaseID(one.ID), EndedAt: one.At.Time}
	})
}

// Machines finds machines behind their mark.
func (r ended) Machines(ctx context.Context, now time.Time, most int) ([]event.Data, bool, error) {
	return r.behind(ctx, "license_machines", "lapses_at", window{now, most}, func(one endedRow) event.Data {
		return licence.MachineLapsed{About: one.about(), MachineID: licence.MachineID(one.ID), EndedAt: one.At.Time}
	})
}

// window is what of the ends behind a mark is looked at: at most so many until a time.
type window struct {
	now  time.Time
	most int
}

// behind finds rows whose end in a column lies behind the mark of their table, in the
// order of an index, and moves the mark on.
func (r ended) behind(ctx context.Context, table, column string, upTo window, tell func(endedRow) event.Data) (told []event.Data, more bool, err error) {
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
		return nil, false, fmt.Errorf("find what ended of %s: %w", table, err)
	}
	if len(found) == 0 {
		return nil, false, nil
	}
	for _, one := range found {
		if one.Live {
			told = append(told, tell(one))
		}
	}
	last := found[len(found)-1]
	if _, err := r.tx.Exec(ctx, `UPDATE license_ends SET until = ?, id = ? WHERE kind = ?`, last.At, last.ID, table); err != nil {
		return nil, false, fmt.Errorf("note how far ends of %s are told: %w", table, err)
	}
	return told, len(found) == upTo.most, nil
}
