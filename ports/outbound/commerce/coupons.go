package commerce

import (
	"context"
	"time"

	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/workspace"
)

// Coupons stores coupons, inside a unit of work.
type Coupons interface {
	// ByCode returns and locks a coupon of a workspace. It fails with
	// billing.ErrNoCoupon.
	ByCode(ctx context.Context, org workspace.ID, code billing.Code) (*billing.Coupon, error)
	// Count returns the number of coupons of a workspace. It blocks concurrent calls
	// for the workspace until the transaction ends.
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
	// Active selects coupons that may be redeemed at Now, or may not.
	Active *bool
	Now    time.Time
	// Before is the last ID of the previous page.
	Before billing.CouponID
	Limit  int
}
