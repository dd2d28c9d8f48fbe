package billing

import (
	"context"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/workspace"
)

// Coupons stores coupons, inside a unit of work.
type Coupons interface {
	// ByCode reads a coupon of a workspace, and holds off whoever else would change it. It
	// fails with billing.ErrNoCoupon.
	ByCode(ctx context.Context, org workspace.ID, code billing.Code) (*billing.Coupon, error)
	// Count is how many a workspace has. It holds off every other transaction that asks
	// the same until this one ends.
	Count(ctx context.Context, org workspace.ID) (int, error)
	// Save fails with billing.ErrCodeTaken.
	Save(ctx context.Context, c *billing.Coupon) error
}

// CouponDirectory reads coupons, outside any transaction.
type CouponDirectory interface {
	// List returns the coupons that match, newest first.
	List(ctx context.Context, query CouponQuery) ([]billing.CouponSnapshot, error)
}

// CouponQuery narrows a list of coupons; zero values do not narrow.
type CouponQuery struct {
	Org workspace.ID
	// Active narrows to those that may be redeemed at Now, or may not.
	Active *bool
	Now    time.Time
	// Before is the last id of the page before.
	Before billing.CouponID
	Limit  int
}
