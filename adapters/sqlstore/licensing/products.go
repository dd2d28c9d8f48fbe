package licensing

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/licensing"
)

// Products returns the repository of products.
func Products(tx *sqlstore.Tx) licensing.Products { return products{tx} }

type products struct{ tx *sqlstore.Tx }

const productColumns = `id, org_id, name, slug, description, processor, features, policy_id, is_public, archived, grace_days, metadata,
	created_at, updated_at, version`

type productRow struct {
	ID          product.ID        `db:"id"`
	OrgID       workspace.ID      `db:"org_id"`
	Name        string            `db:"name"`
	Slug        product.Slug      `db:"slug"`
	Description string            `db:"description"`
	Processor   product.Processor `db:"processor"`
	Features    string            `db:"features"`
	PolicyID    product.PolicyID  `db:"policy_id"`
	Public      bool              `db:"is_public"`
	Archived    bool              `db:"archived"`
	GraceDays   int               `db:"grace_days"`
	Metadata    string            `db:"metadata"`
	CreatedAt   sqlstore.Instant  `db:"created_at"`
	UpdatedAt   sqlstore.Instant  `db:"updated_at"`
	Version     int64             `db:"version"`
}

func (r *productRow) snapshot(store *sqlstore.Store) (product.Snapshot, error) {
	open := store.RowOpener("products", r.ID.String())
	s := product.Snapshot{
		ID: r.ID, OrgID: r.OrgID, Name: r.Name, Slug: r.Slug, Description: r.Description, Processor: r.Processor, PolicyID: r.PolicyID,
		Public: r.Public, Archived: r.Archived, GraceDays: r.GraceDays, CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
	err := errors.Join(decode(r.Features, &s.Features), decode(open.Value("metadata", r.Metadata), &s.Metadata), open.Err)
	if err != nil {
		return s, fmt.Errorf("decode the product %s: %w", r.ID, err)
	}
	return s, nil
}

// decode decodes JSON that encode returned.
func decode(stored string, into any) error {
	if stored == "" {
		return nil
	}
	return json.Unmarshal([]byte(stored), into)
}

// encode returns a value as JSON, and "" for an empty object or null.
func encode(value any) (string, error) {
	raw, err := json.Marshal(value, json.Deterministic(true))
	if text := string(raw); text != "{}" && text != "null" {
		return text, err
	}
	return "", err
}

// live is the condition that the workspace of a row is not deleted. It is negated, because deleted
// workspaces are few.
const live = `org_id NOT IN (SELECT w.id FROM workspaces w WHERE w.deleted_at IS NOT NULL)`

// byRef returns the clause that selects the product of a reference, an id or a slug.
func byRef(ref product.Ref) string {
	if ref.IsID() {
		return ` WHERE ` + live + ` AND id = ?`
	}
	return ` WHERE ` + live + ` AND slug = ?`
}

func readProducts(ctx context.Context, q *sqlstore.Queries, clause string, args ...any) ([]productRow, error) {
	var found []productRow
	if err := q.List(ctx, &found, `SELECT `+productColumns+` FROM products`+clause, args...); err != nil {
		return nil, fmt.Errorf("read products: %w", err)
	}
	return found, nil
}

// ByRef reads one product under a lock of its row. It fails with product.ErrNotFound.
func (r products) ByRef(ctx context.Context, ref product.Ref) (*product.Product, error) {
	found, err := readProducts(ctx, r.tx.Queries, byRef(ref)+` {for update}`, string(ref))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, product.ErrNotFound
	}
	s, err := found[0].snapshot(r.tx.Store())
	return product.Restore(s, found[0].Version), err
}

// Offered reads one product without a lock. It fails with product.ErrNotFound.
func (r products) Offered(ctx context.Context, id product.ID) (product.Snapshot, error) {
	return findProduct(ctx, r.tx.Queries, r.tx.Store(), product.Ref(id.String()))
}

func findProduct(ctx context.Context, q *sqlstore.Queries, store *sqlstore.Store, ref product.Ref) (product.Snapshot, error) {
	found, err := readProducts(ctx, q, byRef(ref), string(ref))
	if err != nil {
		return product.Snapshot{}, err
	}
	if len(found) == 0 {
		return product.Snapshot{}, product.ErrNotFound
	}
	return found[0].snapshot(store)
}

// Count counts the products of a workspace under a lock of its row.
func (r products) Count(ctx context.Context, org workspace.ID) (int, error) {
	return countOf(ctx, r.tx, "products", org)
}

// countOf counts the rows of a workspace in a table, under a lock of the row of the workspace.
func countOf(ctx context.Context, tx *sqlstore.Tx, table string, org workspace.ID) (count int, err error) {
	if err := workspaces.HoldWorkspace(ctx, tx, org); err != nil {
		return 0, err
	}
	if err := tx.Get(ctx, &count, `SELECT COUNT(*) FROM `+table+` WHERE org_id = ?`, org.String()); err != nil {
		return 0, fmt.Errorf("count %s: %w", table, err)
	}
	return count, nil
}

// Save stores a product. A new one claims its slug forever; it fails with product.ErrSlugTaken.
func (r products) Save(ctx context.Context, p *product.Product) error {
	s := p.Snapshot()
	if p.Version() == 0 {
		n, err := r.tx.Exec(ctx, `INSERT INTO product_slugs (slug, product_id) VALUES (?, ?) ON CONFLICT DO NOTHING`, string(s.Slug), s.ID.String())
		if err != nil {
			return fmt.Errorf("claim the slug of a product: %w", err)
		}
		if n == 0 {
			return product.ErrSlugTaken
		}
	}
	features, err := encode(s.Features)
	if err != nil {
		return fmt.Errorf("encode the features of a product: %w", err)
	}
	metadata, err := encode(s.Metadata)
	if err != nil {
		return fmt.Errorf("encode the metadata of a product: %w", err)
	}
	return r.tx.Save(ctx, "products", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"name", s.Name},
		{"name_folded", strings.ToLower(s.Name)},
		{"slug", string(s.Slug)},
		{"description", s.Description},
		{"processor", string(s.Processor)},
		{"features", features},
		{"policy_id", s.PolicyID.String()},
		{"is_public", s.Public},
		{"archived", s.Archived},
		{"grace_days", s.GraceDays},
		{"metadata", r.tx.Store().RowSealer("products", s.ID.String())("metadata", metadata)},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, p)
}

// Sold reports whether there is a checkout of a product.
func (r products) Sold(ctx context.Context, id product.ID) (bool, error) {
	var found []string
	if err := r.tx.List(ctx, &found, `SELECT id FROM checkouts WHERE product_id = ? LIMIT 1`, id.String()); err != nil {
		return false, fmt.Errorf("look for sales of a product: %w", err)
	}
	return len(found) > 0, nil
}

// Delete removes a product, which the caller has locked, so that no license of it is issued meanwhile. It
// fails with product.ErrLicensed or product.ErrSold.
func (r products) Delete(ctx context.Context, p *product.Product) error {
	id := p.Snapshot().ID.String()
	var licensed []string
	if err := r.tx.List(ctx, &licensed, `SELECT id FROM licenses WHERE product_id = ? LIMIT 1`, id); err != nil {
		return fmt.Errorf("look for licenses of a product: %w", err)
	}
	if len(licensed) > 0 {
		return product.ErrLicensed
	}
	sold, err := r.Sold(ctx, p.Snapshot().ID)
	if err != nil {
		return err
	}
	if sold {
		return product.ErrSold
	}
	return r.tx.Delete(ctx, "products", sqlstore.Row{{"id", id}}, p)
}

// ProductDirectory returns the directory of products.
func ProductDirectory(store *sqlstore.Store) licensing.ProductDirectory {
	return productDirectory{store}
}

type productDirectory struct{ store *sqlstore.Store }

// Find reads one product. It fails with product.ErrNotFound.
func (d productDirectory) Find(ctx context.Context, ref product.Ref) (product.Snapshot, error) {
	return findProduct(ctx, d.store.Reader(ctx), d.store, ref)
}

// List returns products, newest first.
func (d productDirectory) List(ctx context.Context, query licensing.ProductQuery) ([]product.Snapshot, error) {
	f := &sqlstore.Filter{}
	f.Where(live)
	f.Unless(query.Org == "", "org_id = ?", query.Org.String())
	f.Unless(query.Slug == "", "org_id IN (SELECT w.id FROM workspaces w WHERE w.slug = ? AND w.deleted_at IS NULL)", string(query.Slug))
	if query.Public {
		f.Where("is_public")
	}
	if query.Archived != nil {
		f.Where("archived = ?", *query.Archived)
	}
	if folded := strings.ToLower(query.Text); folded != "" {
		f.Where("name_folded >= ? AND name_folded < ?", folded, folded+"\U0010FFFF")
	}
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	found, err := readProducts(ctx, d.store.Reader(ctx), f.String()+sqlstore.Newest(query.Limit), f.Args...)
	if err != nil {
		return nil, err
	}
	return sqlstore.Map(found, func(r *productRow) (product.Snapshot, error) { return r.snapshot(d.store) })
}
