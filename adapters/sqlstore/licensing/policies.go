package licensing

import (
	"context"
	"database/sql"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

// Policies returns the repository of license policies.
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

func (r *policyRow) snapshot() (license.PolicySnapshot, error) {
	s := license.PolicySnapshot{
		ID: r.ID, OrgID: r.OrgID, ProductID: product.ID(r.ProductID.String), Name: r.Name,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
	if err := decode(r.Terms, &s.Terms); err != nil {
		return s, fmt.Errorf("decode the terms of the license policy %s: %w", r.ID, err)
	}
	return s, nil
}

// onePolicy reads one policy with its version; clause is "" or a locking clause. It fails with
// license.ErrNoPolicy.
func onePolicy(ctx context.Context, q *sqlstore.Queries, clause string, id product.PolicyID) (license.PolicySnapshot, int64, error) {
	var found policyRow
	err := q.One(ctx, &found, license.ErrNoPolicy, `SELECT `+policyColumns+` FROM license_policies WHERE id = ? AND `+live+clause, id.String())
	if err != nil {
		return license.PolicySnapshot{}, 0, err
	}
	s, err := found.snapshot()
	return s, found.Version, err
}

// ByID reads one policy under a lock of its row. It fails with license.ErrNoPolicy.
func (r policies) ByID(ctx context.Context, id product.PolicyID) (*license.Policy, error) {
	s, version, err := onePolicy(ctx, r.tx.Queries, ` {for update}`, id)
	if err != nil {
		return nil, err
	}
	return license.RestorePolicy(s, version), nil
}

// Terms reads one policy under a shared lock, so that it is not changed meanwhile. It fails with
// license.ErrNoPolicy.
func (r policies) Terms(ctx context.Context, id product.PolicyID) (license.PolicySnapshot, error) {
	s, _, err := onePolicy(ctx, r.tx.Queries, ` {for share}`, id)
	return s, err
}

// Licenses reads and locks licenses of a policy after one, in the order of their identifiers, as all
// transactions that lock several do.
func (r policies) Licenses(ctx context.Context, id product.PolicyID, after license.ID, most int) ([]*license.License, error) {
	var found []licenseRow
	err := r.tx.List(ctx, &found, `SELECT `+licenseColumns+` FROM licenses WHERE policy_id = ? AND id > ? ORDER BY id LIMIT ? {for update}`,
		id.String(), after.String(), most)
	if err != nil {
		return nil, fmt.Errorf("list the licenses of a policy: %w", err)
	}
	held := make([]*license.License, len(found))
	for i := range found {
		s, err := found[i].snapshot(r.tx.Store())
		if err != nil {
			return nil, err
		}
		held[i] = license.Restore(s, found[i].Version)
	}
	return held, nil
}

// Count counts the policies of a workspace under a lock of its row.
func (r policies) Count(ctx context.Context, org workspace.ID) (int, error) {
	return countOf(ctx, r.tx, "license_policies", org)
}

// Save stores a policy.
func (r policies) Save(ctx context.Context, p *license.Policy) error {
	s := p.Snapshot()
	terms, err := encode(s.Terms)
	if err != nil {
		return fmt.Errorf("encode the terms of a license policy: %w", err)
	}
	return r.tx.Save(ctx, "license_policies", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"product_id", sqlstore.Optional(s.ProductID.String())},
		{"name", string(s.Name)},
		{"terms", terms},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, p)
}

// Delete removes a policy, which the caller has locked. It fails with license.ErrPolicyUsed if a license or
// product uses it.
func (r policies) Delete(ctx context.Context, p *license.Policy) error {
	id := p.Snapshot().ID.String()
	var users []string
	err := r.tx.List(ctx, &users, `SELECT id FROM (SELECT id FROM licenses WHERE policy_id = ? LIMIT 1) l
		UNION ALL SELECT id FROM (SELECT id FROM products WHERE policy_id = ? AND policy_id <> '' LIMIT 1) p`, id, id)
	if err != nil {
		return fmt.Errorf("look for uses of a license policy: %w", err)
	}
	if len(users) > 0 {
		return license.ErrPolicyUsed
	}
	return r.tx.Delete(ctx, "license_policies", sqlstore.Row{{"id", id}}, p)
}

// PolicyDirectory returns the directory of license policies.
func PolicyDirectory(store *sqlstore.Store) licensing.PolicyDirectory { return policyDirectory{store} }

type policyDirectory struct{ store *sqlstore.Store }

// Find reads one policy. It fails with license.ErrNoPolicy.
func (d policyDirectory) Find(ctx context.Context, id product.PolicyID) (license.PolicySnapshot, error) {
	s, _, err := onePolicy(ctx, d.store.Reader(ctx), ``, id)
	return s, err
}

// Licenses counts the licenses of a policy.
func (d policyDirectory) Licenses(ctx context.Context, id product.PolicyID) (count int, err error) {
	if err := d.store.Reader(ctx).Get(ctx, &count, `SELECT COUNT(*) FROM licenses WHERE policy_id = ?`, id.String()); err != nil {
		return 0, fmt.Errorf("count the licenses of a policy: %w", err)
	}
	return count, nil
}

// List returns policies, newest first.
func (d policyDirectory) List(ctx context.Context, query licensing.PolicyQuery) ([]license.PolicySnapshot, error) {
	f := &sqlstore.Filter{}
	f.Unless(query.Org == "", "org_id = ?", query.Org.String())
	f.Unless(query.Product == "", "product_id = ?", query.Product.String())
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []policyRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+policyColumns+` FROM license_policies`+f.String()+sqlstore.Newest(query.Limit), f.Args...)
	if err != nil {
		return nil, fmt.Errorf("list license policies: %w", err)
	}
	return sqlstore.Map(found, (*policyRow).snapshot)
}
