package licensing

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

// Overrides returns the repository of overrides of features.
func Overrides(tx *sqlstore.Tx) licensing.Overrides { return overrides{tx} }

type overrides struct{ tx *sqlstore.Tx }

const overrideColumns = `org_id, key, user_id, subject_org_id, value, expires_at, set_at`

// inForce is the condition that an override has not expired at a time, its parameter.
const inForce = `(expires_at IS NULL OR expires_at > ?)`

type overrideRow struct {
	OrgID        workspace.ID     `db:"org_id"`
	Key          feature.Key      `db:"key"`
	UserID       sql.NullString   `db:"user_id"`
	SubjectOrgID sql.NullString   `db:"subject_org_id"`
	Value        string           `db:"value"`
	ExpiresAt    sqlstore.Instant `db:"expires_at"`
	SetAt        sqlstore.Instant `db:"set_at"`
}

func (r *overrideRow) override() (feature.Override, error) {
	o := feature.Override{
		OrgID: r.OrgID, Key: r.Key, Whose: feature.Target{UserID: user.ID(r.UserID.String), OrgID: workspace.ID(r.SubjectOrgID.String)},
		ExpiresAt: r.ExpiresAt.Time, SetAt: r.SetAt.Time,
	}
	if err := decode(r.Value, &o.Value); err != nil {
		return o, fmt.Errorf("decode an override of the feature %s: %w", r.Key, err)
	}
	return o, nil
}

// Get reads one override. It fails with feature.ErrNoOverride.
func (r overrides) Get(
	ctx context.Context, org workspace.ID, key feature.Key, whose feature.Target, now time.Time,
) (feature.Override, error) {
	var found overrideRow
	err := r.tx.One(ctx, &found, feature.ErrNoOverride, `SELECT `+overrideColumns+` FROM feature_overrides
		WHERE org_id = ? AND subject = ? AND key = ? AND `+inForce, org.String(), whose.Name(), string(key), sqlstore.At(now))
	if err != nil {
		return feature.Override{}, err
	}
	return found.override()
}

// Put stores an override.
func (r overrides) Put(ctx context.Context, o feature.Override) error {
	value, err := json.Marshal(o.Value)
	if err != nil {
		return fmt.Errorf("encode an override: %w", err)
	}
	_, err = r.tx.Exec(ctx, `INSERT INTO feature_overrides (org_id, subject, key, user_id, subject_org_id, value, expires_at, set_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?)
		ON CONFLICT (org_id, subject, key) DO UPDATE SET value = excluded.value, expires_at = excluded.expires_at, set_at = excluded.set_at`,
		o.OrgID.String(), o.Whose.Name(), string(o.Key), sqlstore.Optional(o.Whose.UserID.String()), sqlstore.Optional(o.Whose.OrgID.String()), string(value),
		sqlstore.At(o.ExpiresAt), sqlstore.At(o.SetAt))
	if err != nil {
		return fmt.Errorf("store an override: %w", err)
	}
	return nil
}

// Delete removes an override.
func (r overrides) Delete(ctx context.Context, o feature.Override) error {
	_, err := r.tx.Exec(ctx, `DELETE FROM feature_overrides WHERE org_id = ? AND subject = ? AND key = ?`,
		o.OrgID.String(), o.Whose.Name(), string(o.Key))
	if err != nil {
		return fmt.Errorf("delete an override: %w", err)
	}
	return nil
}

// Overrides lists overrides in the order of their features.
func (d featureDirectory) Overrides(ctx context.Context, query licensing.OverrideQuery) ([]feature.Override, error) {
	f := &sqlstore.Filter{}
	f.Where("org_id = ?", query.Org.String())
	f.Where(inForce, sqlstore.At(query.Now))
	f.Unless(query.Key == "", "key = ?", string(query.Key))
	f.Unless(query.Whose.Name() == "", "subject = ?", query.Whose.Name())
	f.Unless(query.AfterKey == "", "(key, subject) > (?, ?)", string(query.AfterKey), query.AfterName)
	var found []overrideRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+overrideColumns+` FROM feature_overrides`+f.String()+` ORDER BY key, subject LIMIT ?`,
		append(f.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list overrides: %w", err)
	}
	return sqlstore.Map(found, (*overrideRow).override)
}
