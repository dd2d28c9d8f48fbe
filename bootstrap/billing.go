package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	billingstore "gatehouse.internal/adapters/sqlstore/billing"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/application/family/billing"
	domain "gatehouse.internal/domain/billing"
)

func (p *parts) billing() family {
	return family{
		service: &billing.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) billing.Repos {
				return billing.Repos{Products: licensing.Products(tx), Prices: billingstore.Prices(tx), Coupons: billingstore.Coupons(tx)}
			}),
			Products:  licensing.ProductDirectory(p.store),
			Prices:    billingstore.PriceDirectory(p.store),
			Coupons:   billingstore.CouponDirectory(p.store),
			Sellers:   billingstore.Sellers(p.store),
			Instance:  p.instance,
			AnySeller: p.config.Development,
			Cursors:   p.cursors,
			Clock:     p.clock,
			IDs:       p.ids,
		},
		events: domain.Events(),
	}
}
