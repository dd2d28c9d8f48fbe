package billing

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/billing"
	"gatehouse.internal/ports/outbound/commerce"
)

// CouponListParams are the parameters of BILLING.COUPON_LIST.
type CouponListParams struct {
	Active *bool `json:"active,omitzero" doc:"Filter by whether the coupon can be redeemed. Inactive coupons are deleted, expired or used up." example:"-"`
	page.Params
}

func (s *Service) couponList() command.Definition {
	return command.Define(command.Spec[CouponListParams, page.Of[Coupon]]{
		Name:    "BILLING.COUPON_LIST",
		Summary: "List coupons with their number of redemptions, newest first.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p CouponListParams) (page.Of[Coupon], error) {
			org, err := orgOf(call.Caller)
			if err != nil {
				return page.Of[Coupon]{}, err
			}
			now := s.Clock.Now()
			list := s.Cursors.List("BILLING.COUPON_LIST|"+org.String()+"|"+choice(p.Active), p.Params)
			return page.Read(list, func(one billing.CouponSnapshot) string { return one.ID.String() },
				func(one billing.CouponSnapshot) Coupon { return showCoupon(one, now) },
				func(before string, most int) ([]billing.CouponSnapshot, error) {
					return s.Coupons.List(ctx, commerce.CouponQuery{Org: org, Active: p.Active, Now: now, Before: billing.CouponID(before), Limit: most})
				})
		},
	})
}
