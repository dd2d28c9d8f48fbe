package billing

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// MostCoupons is how many coupons a workspace may have, ended ones included.
const MostCoupons = 10_000

// Errors of coupons.
var (
	ErrNoCoupon       = fault.New(fault.NotFound, "no such coupon")
	ErrTooManyCoupons = fault.LimitReached("coupon", MostCoupons, "")
	ErrCodeTaken      = fault.Unfit("/code", "is or was the code of another coupon in this workspace")
	ErrCouponOver     = fault.Unfit("/coupon", "is not a valid coupon for this price")
	errDiscount       = fault.Invalid("/percent_off", "provide either percent_off or amount_off, not both")
	errCouponCurrency = fault.Unfit("/currency", "must be an ISO 4217 currency code with amount_off, and omitted otherwise")
	errMonths         = fault.Unfit("/months", "is required for repeating coupons and must be omitted for others")
	errCouponPast     = fault.Unfit("/expires_at", "must be in the future")
)

const maxCode = 64

var codeForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]*$`)

// Code is the case-insensitive text that buyers enter.
type Code string

// SchemaFragment describes the code in a JSON Schema.
func (Code) SchemaFragment() map[string]any {
	return map[string]any{"type": "string", "minLength": 2, "maxLength": maxCode, "pattern": codeForm.String(), "examples": []any{"SPRING-25"}}
}

// Folded returns the form that codes are stored and compared in.
func (c Code) Folded() Code { return Code(strings.ToUpper(string(c))) }

// Duration is for how long a discount lasts on a subscription.
type Duration string

// The durations: the first invoice, some months, or all of them.
const (
	ForOnce   Duration = "once"
	Repeating Duration = "repeating"
	Forever   Duration = "forever"
)

// Discount is the discount of a coupon: a percentage or an amount.
type Discount struct {
	PercentOff int          `json:"percent_off,omitzero" audit:"percent_off"`
	AmountOff  money.Amount `json:"amount_off,omitzero" audit:"amount_off"`
	Duration   Duration     `json:"duration,omitzero" audit:"duration"`
	Months     int          `json:"months,omitzero" audit:"months"`
}

// Off returns the discount on an amount, at most all of it. It fails with
// money.ErrCurrencies.
func (d Discount) Off(amount money.Amount) (money.Amount, error) {
	if d.PercentOff > 0 {
		return amount.Percent(d.PercentOff)
	}
	if d.AmountOff.Currency != amount.Currency {
		return money.Amount{}, money.ErrCurrencies
	}
	return money.Of(min(d.AmountOff.Minor, amount.Minor), amount.Currency), nil
}

// CouponSnapshot is the stored state of a coupon.
type CouponSnapshot struct {
	ID       CouponID
	OrgID    workspace.ID
	Code     Code     `audit:"id"`
	Discount Discount `audit:"discount"`
	// Products are the products it applies to; none for all of the workspace's.
	Products []product.ID `audit:"products"`
	// MaxRedemptions is how often it may be used; 0 is any number of times.
	MaxRedemptions int `audit:"max_redemptions"`
	// Redemptions counts the checkouts that hold or used a place.
	Redemptions int
	// ExpiresAt is zero for never.
	ExpiresAt time.Time `audit:"expires_at"`
	// EndedAt is when it was deleted; zero for not.
	EndedAt   time.Time
	CreatedAt time.Time
}

// Active reports whether the coupon may be redeemed.
func (s CouponSnapshot) Active(now time.Time) bool {
	return s.EndedAt.IsZero() && (s.ExpiresAt.IsZero() || now.Before(s.ExpiresAt)) && (s.MaxRedemptions == 0 || s.Redemptions < s.MaxRedemptions)
}

// Coupon is a discount with a code.
type Coupon struct {
	aggregate.Root
	s CouponSnapshot
}

// MakeCoupon makes a coupon; s is all of it but the times. It fails with a validation fault.
func MakeCoupon(s CouponSnapshot, now time.Time) (*Coupon, error) {
	s.Code = s.Code.Folded()
	d := s.Discount
	byAmount := d.AmountOff.Minor > 0
	switch {
	case byAmount == (d.PercentOff > 0):
		return nil, errDiscount
	case byAmount != d.AmountOff.Currency.Known():
		return nil, errCouponCurrency
	case !byAmount && d.AmountOff.Currency != "":
		return nil, errCouponCurrency
	case (d.Duration == Repeating) != (d.Months > 0):
		return nil, errMonths
	case !s.ExpiresAt.IsZero() && !s.ExpiresAt.After(now):
		return nil, errCouponPast
	}
	s.CreatedAt = now
	c := &Coupon{s: s}
	c.Track(&c.s)
	c.Raise(CouponCreated{OrgID: s.OrgID, Code: s.Code})
	return c, nil
}

// RestoreCoupon returns the coupon that was stored.
func RestoreCoupon(s CouponSnapshot, version int64) *Coupon {
	c := &Coupon{Root: aggregate.At(version), s: s}
	c.Track(&c.s)
	return c
}

// Snapshot returns the state to store.
func (c *Coupon) Snapshot() CouponSnapshot { return c.s }

// Redeem takes a place for a price. It fails with ErrCouponOver.
func (c *Coupon) Redeem(p PriceSnapshot, now time.Time) error {
	forThis := len(c.s.Products) == 0 || slices.Contains(c.s.Products, p.ProductID)
	fits := c.s.Discount.PercentOff > 0 || c.s.Discount.AmountOff.Currency == p.Unit.Currency
	if c.s.OrgID != p.OrgID || !forThis || !fits || !c.s.Active(now) {
		return ErrCouponOver
	}
	c.s.Redemptions++
	return nil
}

// Release releases the redemption of a checkout that ended without a purchase.
func (c *Coupon) Release() { c.s.Redemptions = max(0, c.s.Redemptions-1) }

// End takes the coupon off the market; running discounts stay. It reports whether it was
// there.
func (c *Coupon) End(now time.Time) bool {
	if !c.s.EndedAt.IsZero() {
		return false
	}
	c.s.EndedAt = now
	c.Raise(CouponDeleted{OrgID: c.s.OrgID, Code: c.s.Code})
	return true
}
