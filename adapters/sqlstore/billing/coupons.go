package billing

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/commerce"
)

// Coupons returns the repository of coupons.
func Coupons(tx *sqlstore.Tx) commerce.Coupons { return coupons{tx} }

type coupons struct{ tx *sqlstore.Tx }

const couponColumns = `id, org_id, code, discount, products, max_redemptions, redemptions, expires_at, ended_at, created_at, version`

type couponRow struct {
	ID             billing.CouponID `db:"id"`
	OrgID          workspace.ID     `db:"org_id"`
	Code           billing.Code     `db:"code"`
	Discount       string           `db:"discount"`
	Products       string           `db:"products"`
	MaxRedemptions int              `db:"max_redemptions"`
	Redemptions    int              `db:"redemptions"`
	ExpiresAt      sqlstore.Instant `db:"expires_at"`
	EndedAt        sqlstore.Instant `db:"ended_at"`
	CreatedAt      sqlstore.Instant `db:"created_at"`
	Version        int64            `db:"version"`
}

func (r *couponRow) snapshot() (billing.CouponSnapshot, error) {
	s := billing.CouponSnapshot{
		ID: r.ID, OrgID: r.OrgID, Code: r.Code, MaxRedemptions: r.MaxRedemptions, Redemptions: r.Redemptions,
		ExpiresAt: r.ExpiresAt.Time, EndedAt: r.EndedAt.Time, CreatedAt: r.CreatedAt.Time,
	}
	var err error
	s.Products, err = sqlstore.DecodeList[product.ID](r.Products)
	if err = errors.Join(err, json.Unmarshal([]byte(r.Discount), &s.Discount)); err != nil {
		return s, fmt.Errorf("decode the coupon %s: %w", r.ID, err)
	}
	return s, nil
}

// ByCode reads one coupon under a lock of its row. It fails with billing.ErrNoCoupon.
func (r coupons) ByCode(ctx context.Context, org workspace.ID, code billing.Code) (*billing.Coupon, error) {
	row, err := one[couponRow](ctx, r.tx.Queries, billing.ErrNoCoupon, `SELECT `+couponColumns+` FROM coupons WHERE org_id = ? AND code = ? {for update}`,
		org.String(), string(code.Folded()))
	if err != nil {
		return nil, err
	}
	s, err := row.snapshot()
	return billing.RestoreCoupon(s, row.Version), err
}

// Count counts the coupons of a workspace under a lock of its row.
func (r coupons) Count(ctx context.Context, org workspace.ID) (count int, err error) {
	if err := workspaces.HoldWorkspace(ctx, r.tx, org); err != nil {
		return 0, err
	}
	if err := r.tx.Get(ctx, &count, `SELECT COUNT(*) FROM coupons WHERE org_id = ?`, org.String()); err != nil {
		return 0, fmt.Errorf("count coupons: %w", err)
	}
	return count, nil
}

// Save stores a coupon. It fails with billing.ErrCodeTaken if another one has the code.
func (r coupons) Save(ctx context.Context, c *billing.Coupon) error {
	s := c.Snapshot()
	discount, err := json.Marshal(s.Discount)
	if err != nil {
		return fmt.Errorf("encode the discount of a coupon: %w", err)
	}
	products, err := sqlstore.EncodeList(s.Products)
	if err != nil {
		return fmt.Errorf("encode the products of a coupon: %w", err)
	}
	isNew := c.Version() == 0
	err = r.tx.Save(ctx, "coupons", sqlstore.Row{{"id", s.ID.String()}}, sqlstore.Row{
		{"org_id", s.OrgID.String()},
		{"code", string(s.Code)},
		{"discount", string(discount)},
		{"products", products},
		{"max_redemptions", s.MaxRedemptions},
		{"redemptions", s.Redemptions},
		{"expires_at", sqlstore.At(s.ExpiresAt)},
		{"ended_at", sqlstore.At(s.EndedAt)},
		{"created_at", sqlstore.At(s.CreatedAt)},
	}, c)
	if isNew && errors.Is(err, aggregate.ErrConflict) {
		return billing.ErrCodeTaken
	}
	if err != nil {
		return fmt.Errorf("save a coupon: %w", err)
	}
	return nil
}

// CouponDirectory returns the directory of coupons.
func CouponDirectory(store *sqlstore.Store) commerce.CouponDirectory { return couponDirectory{store} }

type couponDirectory struct{ store *sqlstore.Store }

// redeemable is the condition that a coupon may be redeemed at a time, its parameter.
const redeemable = `(ended_at IS NULL AND (expires_at IS NULL OR expires_at > ?) AND (max_redemptions = 0 OR redemptions < max_redemptions))`

// List returns coupons, newest first.
func (d couponDirectory) List(ctx context.Context, query commerce.CouponQuery) ([]billing.CouponSnapshot, error) {
	f := &sqlstore.Filter{}
	f.Unless(query.Org == "", "org_id = ?", query.Org.String())
	if query.Active != nil {
		condition := redeemable
		if !*query.Active {
			condition = "NOT " + redeemable
		}
		f.Where(condition, sqlstore.At(query.Now))
	}
	f.Unless(query.Before == "", "id < ?", query.Before.String())
	var found []couponRow
	err := d.store.Reader(ctx).List(ctx, &found, `SELECT `+couponColumns+` FROM coupons`+f.String()+sqlstore.Newest(query.Limit), f.Args...)
	if err != nil {
		return nil, fmt.Errorf("list coupons: %w", err)
	}
	return sqlstore.Map(found, (*couponRow).snapshot)
}
