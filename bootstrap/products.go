package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	billingstore "gatehouse.internal/adapters/sqlstore/billing"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/family/products"
	"gatehouse.internal/domain/product"
)

func (p *parts) products() family {
	return family{
		service: &products.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) products.Repos {
				return products.Repos{Products: licensing.Products(tx), Policies: licensing.Policies(tx), Books: workspaces.Books(tx)}
			}),
			Directory: licensing.ProductDirectory(p.store),
			Policies:  licensing.PolicyDirectory(p.store),
			Prices:    billingstore.PriceDirectory(p.store),
			Cursors:   p.cursors,
			Clock:     p.clock,
			IDs:       p.ids,
		},
		events: product.Events(),
	}
}
