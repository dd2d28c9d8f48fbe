package licensing

import (
	"context"
	"database/sql"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/licence"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

// Policies returns the repository of licence policies.
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

// onePolicy reads one policy with its version; clause is "" or a locking clause. It fails with
// licence.ErrNoPolicy.
func onePolicy(ctx context.Context, q *sqlstore.Queries, clause string, id product.PolicyID) (licence.PolicySnapshot, int64, error) {
	var found policyRow
	err := q.One(ctx, &found, licence.ErrNoPolicy, `SELECT `+policyColumns+` FROM license_policies WHERE id = ? AND `+live+clause, id.String())
	if err != nil {
		return licence.PolicySnapshot{}, 0, err
	}
	s, err := found.snapshot()
	return s, found.Version, err
}

// ByID reads one policy under a lock of its row. It fails with licence.ErrNoPolicy.
func (r policies) ByID(ctx context.Context, id product.PolicyID) (*licence.Policy, error) {
	s, version, err := onePolicy(ctx, r.tx.Queries, ` {for update}`, id)
	if err != nil {
		return nil, err
	}
	return licence.RestorePolicy(s, version), nil
}

// Terms reads one policy under a shared lock, so that it is not changed meanwhile. It fails with
// licence.ErrNoPolicy.
func (r policies) Terms(ctx context.Context, id product.PolicyID) (licence.PolicySnapshot, error) {
	s, _, err := onePolicy(ctx, r.tx.Queries, ` {for share}`, id)
	return s, err
}

// Licences reads and locks licences of a policy after one, in the order of their identifiers, as all
// transactions that lock several do.
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

// Count counts the policies of a workspace under a lock of its row.
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
		{"product_id", sqlstore.Optional(s.ProductID.String())},
		{"name", string(s.Name)},
		{"terms", terms},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, p)
}

// Delete removes a policy, which the caller has locked. It fails with licence.ErrPolicyUsed if a licence or
// product uses it.
func (r policies) Delete(ctx context.Context, p *licence.Policy) error {
	id := p.Snapshot().ID.String()
	var users []string
	err := r.tx.List(ctx, &users, `SELECT id FROM (SELECT id FROM licenses WHERE policy_id = ? LIMIT 1) l
		UNION ALL SELECT id FROM (SELECT id FROM products WHERE policy_id = ? AND policy_id <> '' LIMIT 1) p`, id, id)
	if err != nil {
		return fmt.Errorf("look for uses of a licence policy: %w", err)
	}
	if len(users) > 0 {
		return licence.ErrPolicyUsed
	}
	return r.tx.Delete(ctx, "license_policies", sqlstore.Row{{"id", id}}, p)
}

// PolicyDirectory returns the directory of licence policies.
func PolicyDirectory(store *sqlstore.Store) licensing.PolicyDirectory { return policyDirectory{store} }

type policyDirectory struct{ store *sqlstore.Store }

// Find reads one policy. It fails with licence.ErrNoPolicy.
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
