package licensing

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

// Features returns the repository of features.
func Features(tx *sqlstore.Tx) licensing.Features { return features{tx} }

type features struct{ tx *sqlstore.Tx }

const featureColumns = `org_id, key, type, default_value, rules, enabled, description, created_at, updated_at, version`

type featureRow struct {
	OrgID       workspace.ID     `db:"org_id"`
	Key         feature.Key      `db:"key"`
	Type        feature.Type     `db:"type"`
	Default     string           `db:"default_value"`
	Rules       string           `db:"rules"`
	Enabled     bool             `db:"enabled"`
	Description string           `db:"description"`
	CreatedAt   sqlstore.Instant `db:"created_at"`
	UpdatedAt   sqlstore.Instant `db:"updated_at"`
	Version     int64            `db:"version"`
}

func (r *featureRow) snapshot() (feature.Snapshot, error) {
	s := feature.Snapshot{
		OrgID: r.OrgID, Key: r.Key, Type: r.Type, Enabled: r.Enabled, Description: r.Description,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
	var err error
	s.Rules, err = sqlstore.DecodeList[feature.Rule](r.Rules)
	if err := errors.Join(err, decode(r.Default, &s.Default)); err != nil {
		return s, fmt.Errorf("decode the feature %s: %w", r.Key, err)
	}
	return s, nil
}

// Hold counts the features of a workspace and their rules, under a lock that serializes changes. It
// increments the revision of the features.
func (r features) Hold(ctx context.Context, org workspace.ID) (count, rules int, err error) {
	_, err = r.tx.Exec(ctx, `INSERT INTO feature_heads (org_id, revision) VALUES (?, 1)
		ON CONFLICT (org_id) DO UPDATE SET revision = feature_heads.revision + 1`, org.String())
	if err != nil {
		return 0, 0, fmt.Errorf("hold the features of a workspace: %w", err)
	}
	var found struct {
		Features int `db:"features"`
		Rules    int `db:"rules"`
	}
	err = r.tx.Get(ctx, &found, `SELECT COUNT(*) AS features, CAST(COALESCE(SUM(rule_count), 0) AS BIGINT) AS rules FROM features WHERE org_id = ?`, org.String())
	if err != nil {
		return 0, 0, fmt.Errorf("count features: %w", err)
	}
	return found.Features, found.Rules, nil
}

// ByKey reads one feature under a lock of its row. It fails with feature.ErrNotFound.
func (r features) ByKey(ctx context.Context, org workspace.ID, key feature.Key) (*feature.Feature, error) {
	var found featureRow
	err := r.tx.One(ctx, &found, feature.ErrNotFound, `SELECT `+featureColumns+` FROM features WHERE org_id = ? AND key = ? {for update}`, org.String(), string(key))
	if err != nil {
		return nil, err
	}
	s, err := found.snapshot()
	return feature.Restore(s, found.Version), err
}

// Save stores a feature. It fails with feature.ErrTaken if another one has the key.
func (r features) Save(ctx context.Context, f *feature.Feature) error {
	s := f.Snapshot()
	value, err := json.Marshal(s.Default)
	rules, err2 := sqlstore.EncodeList(s.Rules)
	if err := errors.Join(err, err2); err != nil {
		return fmt.Errorf("encode a feature: %w", err)
	}
	fresh := f.Version() == 0
	err = r.tx.Save(ctx, "features", sqlstore.Row{{"org_id", s.OrgID.String()}, {"key", string(s.Key)}}, sqlstore.Row{
		{"type", string(s.Type)},
		{"default_value", string(value)},
		{"rules", rules},
		{"rule_count", len(s.Rules)},
		{"enabled", s.Enabled},
		{"description", s.Description},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, f)
	switch {
	case errors.Is(err, aggregate.ErrConflict) && fresh:
		return feature.ErrTaken
	case err != nil:
		return fmt.Errorf("save a feature: %w", err)
	}
	return nil
}

// Delete removes a feature; the database cascades to its overrides.
func (r features) Delete(ctx context.Context, f *feature.Feature) error {
	s := f.Snapshot()
	return r.tx.Delete(ctx, "features", sqlstore.Row{{"org_id", s.OrgID.String()}, {"key", string(s.Key)}}, f)
}

// FeatureDirectory returns the directory of features.
func FeatureDirectory(store *sqlstore.Store) licensing.FeatureDirectory {
	return featureDirectory{store}
}

type featureDirectory struct{ store *sqlstore.Store }

// List returns features in the order of their keys.
func (d featureDirectory) List(ctx context.Context, query licensing.FeatureQuery) ([]feature.Snapshot, error) {
	f := &sqlstore.Filter{}
	f.Where("org_id = ?", query.Org.String())
	f.Unless(query.Begins == "", "key >= ? AND key < ?", query.Begins, query.Begins+"\U0010FFFF")
	f.Unless(query.After == "", "key > ?", string(query.After))
	var found []featureRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+featureColumns+` FROM features`+f.String()+` ORDER BY key LIMIT ?`,
		append(f.Args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return nil, fmt.Errorf("list features: %w", err)
	}
	return sqlstore.Map(found, (*featureRow).snapshot)
}
