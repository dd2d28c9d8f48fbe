package billing

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/domain/event"
)

// CouponDeleteParams are the parameters of BILLING.COUPON_DELETE.
type CouponDeleteParams struct {
	Code billing.Code `json:"code" doc:"Code of the coupon."`
}

// CouponDeleteResult is the result of BILLING.COUPON_DELETE.
type CouponDeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) couponDelete() command.Definition {
	return command.Define(command.Spec[CouponDeleteParams, CouponDeleteResult]{
		Name:        "BILLING.COUPON_DELETE",
		Summary:     "Delete a coupon.",
		Description: "The coupon can no longer be redeemed. Running discounts continue. The code is never reused.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{billing.KindCouponDeleted},
		Handle: func(ctx context.Context, call command.Call, p CouponDeleteParams) (CouponDeleteResult, error) {
			org, err := orgOf(call.Caller)
			if err != nil {
				return CouponDeleteResult{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				found, err := tx.Coupons.ByCode(ctx, org, p.Code)
				if err != nil {
					return err
				}
				if !found.End(s.Clock.Now()) {
					return billing.ErrNoCoupon
				}
				return tx.Coupons.Save(ctx, found)
			})
			if err != nil {
				return CouponDeleteResult{}, err
			}
			return CouponDeleteResult{Deleted: true}, nil
		},
	})
}
