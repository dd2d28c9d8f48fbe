package licensing

import (
	"context"
	"database/sql"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/licence"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

// Policies returns the licence policies.
func Policies(tx *sqlstore.Tx) licensing.Policies { return policies{tx} }

type policies struct{ tx *sqlstore.Tx }

const policyColumns = `id, org_id, product_id, name, terms, created_at, updated_at, version`

type policyRow struct {
	ID        product.PolicyID `db:"id"`
	OrgID     workspace.ID     `db:"org_id"`
	ProductID sql.NullString   `db:"product_id"`
	Name      workspace.Label  `db:"name"`
	Terms     string           `db:"terms"`
	CreatedAt sqlstore.Instant `db:"created_at"`
	UpdatedAt sqlstore.Instant `db:"updated_at"`
	Version   int64            `db:"version"`
}

func (r *policyRow) snapshot() (licence.PolicySnapshot, error) {
	s := licence.PolicySnapshot{
		ID: r.ID, OrgID: r.OrgID, ProductID: product.ID(r.ProductID.String), Name: r.Name,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
	if err := decode(r.Terms, &s.Terms); err != nil {
		return s, fmt.Errorf("decode the terms of the licence policy %s: %w", r.ID, err)
	}
	return s, nil
}

func onePolicy(ctx context.Context, q *sqlstore.Queries, clause string, id product.PolicyID) (licence.PolicySnapshot, int64, error) {
	var found []policyRow
	if err := q.List(ctx, &found, `SELECT `+policyColumns+` FROM license_policies WHERE id = ? AND `+live+clause, id.String()); err != nil {
		return licence.PolicySnapshot{}, 0, fmt.Errorf("read a licence policy: %w", err)
	}
	if len(found) == 0 {
		return licence.PolicySnapshot{}, 0, licence.ErrNoPolicy
	}
	s, err := found[0].snapshot()
	return s, found[0].Version, err
}

// ByID reads one policy, and holds off its deletion.
func (r policies) ByID(ctx context.Context, id product.PolicyID) (*licence.Policy, error) {
	s, version, err := onePolicy(ctx, r.tx.Queries, ` {for update}`, id)
	if err != nil {
		return nil, err
	}
	return licence.RestorePolicy(s, version), nil
}

// Terms reads one policy, and holds off its change.
func (r policies) Terms(ctx context.Context, id product.PolicyID) (licence.PolicySnapshot, error) {
	s, _, err := onePolicy(ctx, r.tx.Queries, ` {for share}`, id)
	return s, err
}

// Licences reads licences in the order of their identifiers, as others lock them who take
// several.
func (r policies) Licences(ctx context.Context, id product.PolicyID, after licence.ID, most int) ([]*licence.Licence, error) {
	var found []licenceRow
	err := r.tx.List(ctx, &found, `SELECT `+licenceColumns+` FROM licenses WHERE policy_id = ? AND id > ? ORDER BY id LIMIT ? {for update}`,
		id.String(), after.String(), most)
	if err != nil {
		return nil, fmt.Errorf("list the licences of a policy: %w", err)
	}
	held := make([]*licence.Licence, len(found))
	for i := range found {
		s, err := found[i].snapshot(r.tx.Store())
		if err != nil {
			return nil, err
		}
		held[i] = licence.Restore(s, found[i].Version)
	}
	return held, nil
}

// Count counts under a lock of the workspace's row.
func (r policies) Count(ctx context.Context, org workspace.ID) (int, error) {
	return countOf(ctx, r.tx, "license_policies", org)
}

// Save stores a policy.
func (r policies) Save(ctx context.Context, p *licence.Policy) error {
	s := p.Snapshot()
	terms, err := encode(s.Terms)
	if err != nil {
		return fmt.Errorf("encode the terms of a licence policy: %w", err)
	}
	return r.tx.Save(ctx, "license_policies", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"product_id", optional(s.ProductID.String())},
		{"name", string(s.Name)},
		{"terms", terms},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, p)
}

// optional returns a value that may be absent.
func optional(text string) sql.NullString { return sql.NullString{String: text, Valid: text != ""} }

// Delete removes a policy that was read under a lock.
func (r policies) Delete(ctx context.Context, p *licence.Policy) error {
	id := p.Snapshot().ID.String()
	var users []string
	err := r.tx.List(ctx, &users, `SELECT id FROM (SELECT id FROM licenses WHERE policy_id = ? LIMIT 1) l
		UNION ALL SELECT id FROM (SELECT id FROM products WHERE policy_id = ? AND policy_id <> '' LIMIT 1) p`, id, id)
	if err != nil {
		return fmt.Errorf("look for what uses a licence policy: %w", err)
	}
	if len(users) > 0 {
		return licence.ErrPolicyUsed
	}
	n, err := r.tx.Exec(ctx, `DELETE FROM license_policies WHERE id = ? AND version = ?`, id, p.Version())
	if err != nil {
		return fmt.Errorf("delete a licence policy: %w", err)
	}
	if n == 0 {
		return aggregate.ErrConflict
	}
	return r.tx.RecordOf(ctx, p)
}

// PolicyDirectory reads licence policies.
func PolicyDirectory(store *sqlstore.Store) licensing.PolicyDirectory { return policyDirectory{store} }

type policyDirectory struct{ store *sqlstore.Store }

// Find reads one policy.
func (d policyDirectory) Find(ctx context.Context, id product.PolicyID) (licence.PolicySnapshot, error) {
	s, _, err := onePolicy(ctx, d.store.Reader(ctx), ``, id)
	return s, err
}

// Licences counts the licences of a policy.
func (d policyDirectory) Licences(ctx context.Context, id product.PolicyID) (count int, err error) {
	if err := d.store.Reader(ctx).Get(ctx, &count, `SELECT COUNT(*) FROM licenses WHERE policy_id = ?`, id.String()); err != nil {
		return 0, fmt.Errorf("count the licences of a policy: %w", err)
	}
	return count, nil
}

// List returns policies, newest first.
func (d policyDirectory) List(ctx context.Context, query licensing.PolicyQuery) ([]licence.PolicySnapshot, error) {
	f := &sqlstore.Filter{}
	f.Unless(query.Org == "", "org_id = ?", query.Org.String())
	f.Unless(query.Product == "", "product_id = ?", query.Product.String())
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []policyRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+policyColumns+` FROM license_policies`+f.String()+sqlstore.Newest(query.Limit), f.Args...)
	if err != nil {
		return nil, fmt.Errorf("list licence policies: %w", err)
	}
	return sqlstore.Map(found, (*policyRow).snapshot)
}
