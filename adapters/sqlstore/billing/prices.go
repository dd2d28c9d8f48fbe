package billing

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// Prices returns the repository of prices.
func Prices(tx *sqlstore.Tx) commerce.Prices { return prices{tx} }

type prices struct{ tx *sqlstore.Tx }

const priceColumns = `id, org_id, product_id, currency, unit_amount, charged, model, tiers, meter, trial_days, nickname, active,
	processor_price_id, created_at, updated_at, version`

type priceRow struct {
	ID               billing.PriceID  `db:"id"`
	OrgID            workspace.ID     `db:"org_id"`
	ProductID        product.ID       `db:"product_id"`
	Currency         money.Currency   `db:"currency"`
	UnitAmount       int64            `db:"unit_amount"`
	Charged          billing.Interval `db:"charged"`
	Model            billing.Model    `db:"model"`
	Tiers            string           `db:"tiers"`
	Meter            string           `db:"meter"`
	TrialDays        int              `db:"trial_days"`
	Nickname         string           `db:"nickname"`
	Active           bool             `db:"active"`
	ProcessorPriceID string           `db:"processor_price_id"`
	CreatedAt        sqlstore.Instant `db:"created_at"`
	UpdatedAt        sqlstore.Instant `db:"updated_at"`
	Version          int64            `db:"version"`
}

func (r *priceRow) snapshot() (billing.PriceSnapshot, error) {
	s := billing.PriceSnapshot{
		ID: r.ID, OrgID: r.OrgID, ProductID: r.ProductID, Unit: money.Of(r.UnitAmount, r.Currency), Interval: r.Charged, Model: r.Model,
		Meter: r.Meter, TrialDays: r.TrialDays, Nickname: r.Nickname, Active: r.Active, ProcessorPriceID: r.ProcessorPriceID,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time,
	}
	var err error
	if s.Tiers, err = sqlstore.DecodeList[billing.Tier](r.Tiers); err != nil {
		return s, fmt.Errorf("decode the tiers of the price %s: %w", r.ID, err)
	}
	return s, nil
}

func onePrice(ctx context.Context, q *sqlstore.Queries, clause string, id billing.PriceID) (billing.PriceSnapshot, int64, error) {
	row, err := one[priceRow](ctx, q, billing.ErrNoPrice, `SELECT `+priceColumns+` FROM prices WHERE `+live+` AND id = ?`+clause, id.String())
	if err != nil {
		return billing.PriceSnapshot{}, 0, err
	}
	s, err := row.snapshot()
	return s, row.Version, err
}

// ByID reads one price under a lock of its row. It fails with billing.ErrNoPrice.
func (r prices) ByID(ctx context.Context, id billing.PriceID) (*billing.Price, error) {
	s, version, err := onePrice(ctx, r.tx.Queries, ` {for update}`, id)
	if err != nil {
		return nil, err
	}
	return billing.RestorePrice(s, version), nil
}

// Count counts the prices of a product, which the caller has locked.
func (r prices) Count(ctx context.Context, of product.ID) (count int, err error) {
	if err := r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM prices WHERE product_id = ?`, of.String()); err != nil {
		return 0, fmt.Errorf("count the prices of a product: %w", err)
	}
	return count, nil
}

// Save stores a price.
func (r prices) Save(ctx context.Context, p *billing.Price) error {
	s := p.Snapshot()
	tiers, err := sqlstore.EncodeList(s.Tiers)
	if err != nil {
		return fmt.Errorf("encode the tiers of a price: %w", err)
	}
	return r.tx.Save(ctx, "prices", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"product_id", s.ProductID.String()},
		{"currency", string(s.Unit.Currency)},
		{"unit_amount", s.Unit.Minor},
		{"charged", string(s.Interval)},
		{"model", string(s.Model)},
		{"tiers", tiers},
		{"meter", s.Meter},
		{"trial_days", s.TrialDays},
		{"nickname", s.Nickname},
		{"active", s.Active},
		{"processor_price_id", s.ProcessorPriceID},
		{"created_at", sqlstore.At(s.CreatedAt)},
		{"updated_at", sqlstore.At(s.UpdatedAt)},
	}, p)
}

// PriceDirectory returns the directory of prices.
func PriceDirectory(store *sqlstore.Store) commerce.PriceDirectory { return priceDirectory{store} }

type priceDirectory struct{ store *sqlstore.Store }

// Find reads one price. It fails with billing.ErrNoPrice.
func (d priceDirectory) Find(ctx context.Context, id billing.PriceID) (billing.PriceSnapshot, error) {
	s, _, err := onePrice(ctx, d.store.Reader(ctx), ``, id)
	return s, err
}

// List returns prices, newest first.
func (d priceDirectory) List(ctx context.Context, query commerce.PriceQuery) ([]billing.PriceSnapshot, error) {
	f := &sqlstore.Filter{}
	f.Where(live)
	f.Unless(query.Org == "", "org_id = ?", query.Org.String())
	f.Unless(query.Product == "", "product_id = ?", query.Product.String())
	if query.Public {
		f.Where("product_id IN (SELECT p.id FROM products p WHERE p.org_id = prices.org_id AND p.is_public AND NOT p.archived)")
	}
	if query.Active != nil {
		f.Where("active = ?", *query.Active)
	}
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []priceRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+priceColumns+` FROM prices`+f.String()+sqlstore.Newest(query.Limit), f.Args...)
	if err != nil {
		return nil, fmt.Errorf("list prices: %w", err)
	}
	return sqlstore.Map(found, (*priceRow).snapshot)
}
