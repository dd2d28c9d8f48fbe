package billing

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/money"
	"gatehouse.internal/domain/product"
	"gatehouse.internal/domain/workspace"
)

// CouponCreateParams are the parameters of BILLING.COUPON_CREATE.
type CouponCreateParams struct {
	Code           billing.Code     `json:"code" doc:"Code that buyers enter. Case-insensitive."`
	PercentOff     int              `json:"percent_off,omitzero" doc:"Percentage to take off. Provide either percent_off or amount_off." jsonschema:"minimum=1,maximum=100,example=25"`
	AmountOff      int64            `json:"amount_off,omitzero" doc:"Amount to take off, in minor units of currency." jsonschema:"minimum=1,maximum=9007199254740991" example:"-"`
	Currency       money.Currency   `json:"currency,omitzero" doc:"ISO 4217 currency code of amount_off. Required with amount_off. The coupon then applies only to prices in this currency." example:"-"`
	Duration       billing.Duration `json:"duration,omitzero" doc:"Which payments of a subscription are discounted: the first (once), those of a number of months (repeating), or all (forever). Defaults to once." jsonschema:"enum=once,enum=repeating,enum=forever"`
	Months         int              `json:"months,omitzero" doc:"Number of months of the discount. Required if duration is repeating." jsonschema:"minimum=1,maximum=36" example:"-"`
	ProductIDs     []product.Ref    `json:"product_ids,omitzero" doc:"Products that the coupon applies to, by ID or slug. Defaults to all products of the workspace." jsonschema:"minItems=1,maxItems=100" example:"-"`
	MaxRedemptions int              `json:"max_redemptions,omitzero" doc:"Maximum number of redemptions. Omit for no limit." jsonschema:"minimum=1,maximum=1000000000,example=100"`
	ExpiresAt      time.Time        `json:"expires_at,omitzero" doc:"When the coupon expires. Omit for a coupon that never expires." example:"-"`
}

// CouponResult is the result of BILLING.COUPON_CREATE.
type CouponResult struct {
	Coupon Coupon `json:"coupon" doc:"The new coupon."`
}

func (s *Service) couponCreate() command.Definition {
	return command.Define(command.Spec[CouponCreateParams, CouponResult]{
		Name:        "BILLING.COUPON_CREATE",
		Summary:     "Create a coupon.",
		Description: "A coupon is a code that buyers enter for a discount. A workspace can have at most 10,000 coupons, and a code is never reused.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{billing.KindCouponCreated},
		Handle: func(ctx context.Context, call command.Call, p CouponCreateParams) (result CouponResult, err error) {
			org, err := orgOf(call.Caller)
			if err != nil {
				return result, err
			}
			draft, now := p.of(billing.NewCouponID(s.IDs), org), s.Clock.Now()
			err = s.Unit.Do(ctx, func(tx Repos) error {
				count, err := tx.Coupons.Count(ctx, org)
				if err != nil {
					return err
				}
				if count >= billing.MostCoupons {
					return billing.ErrTooManyCoupons
				}
				if draft.Products, err = productsOf(ctx, tx, org, p.ProductIDs); err != nil {
					return err
				}
				made, err := billing.MakeCoupon(draft, now)
				if err != nil {
					return err
				}
				result.Coupon = showCoupon(made.Snapshot(), now)
				return tx.Coupons.Save(ctx, made)
			})
			return result, err
		},
	})
}

// productsOf returns the products of a workspace that references stand for. It fails with
// product.ErrNotFound.
func productsOf(ctx context.Context, tx Repos, org workspace.ID, refs []product.Ref) ([]product.ID, error) {
	var found []product.ID
	for _, ref := range refs {
		of, err := tx.Products.ByRef(ctx, ref)
		if err != nil {
			return nil, err
		}
		if of.Snapshot().OrgID != org {
			return nil, product.ErrNotFound
		}
		found = append(found, of.Snapshot().ID)
	}
	return found, nil
}

// of returns the coupon that the parameters describe, but for its products.
func (p CouponCreateParams) of(id billing.CouponID, org workspace.ID) billing.CouponSnapshot {
	s := billing.CouponSnapshot{
		ID: id, OrgID: org, Code: p.Code, MaxRedemptions: p.MaxRedemptions, ExpiresAt: p.ExpiresAt,
		Discount: billing.Discount{PercentOff: p.PercentOff, AmountOff: money.Of(p.AmountOff, p.Currency), Duration: p.Duration, Months: p.Months},
	}
	if s.Discount.Duration == "" {
		s.Discount.Duration = billing.ForOnce
	}
	return s
}

// Coupon is a coupon in results.
type Coupon struct {
	Code           billing.Code     `json:"code" doc:"Code that buyers enter."`
	PercentOff     int              `json:"percent_off,omitzero" doc:"Percentage that is taken off."`
	AmountOff      int64            `json:"amount_off,omitzero" doc:"Amount that is taken off, in minor units of currency."`
	Currency       money.Currency   `json:"currency,omitzero" doc:"ISO 4217 currency code of amount_off."`
	Duration       billing.Duration `json:"duration" doc:"Which payments of a subscription are discounted." jsonschema:"enum=once,enum=repeating,enum=forever"`
	Months         int              `json:"months,omitzero" doc:"Number of months of a repeating discount."`
	ProductIDs     []product.ID     `json:"product_ids" doc:"Products that the coupon applies to. Empty for all products of the workspace."`
	MaxRedemptions int              `json:"max_redemptions,omitzero" doc:"Maximum number of redemptions. Absent if unlimited."`
	Redemptions    int              `json:"redemptions" doc:"Number of checkouts and subscriptions that reserve or used the coupon."`
	ExpiresAt      time.Time        `json:"expires_at,omitzero" doc:"When the coupon expires. Absent if it never expires."`
	Active         bool             `json:"active" doc:"Whether the coupon can be redeemed."`
	CreatedAt      time.Time        `json:"created_at" doc:"When the coupon was created."`
}

func showCoupon(s billing.CouponSnapshot, now time.Time) Coupon {
	return Coupon{
		Code: s.Code, PercentOff: s.Discount.PercentOff, AmountOff: s.Discount.AmountOff.Minor, Currency: s.Discount.AmountOff.Currency,
		Duration: s.Discount.Duration, Months: s.Discount.Months, ProductIDs: append([]product.ID{}, s.Products...),
		MaxRedemptions: s.MaxRedemptions, Redemptions: s.Redemptions, ExpiresAt: s.ExpiresAt, Active: s.Active(now), CreatedAt: s.CreatedAt,
	}
}
