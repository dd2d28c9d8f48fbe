package bootstrap

import (
	"gatehouse.internal/adapters/expression"
	"gatehouse.internal/adapters/sqlstore"
	billingstore "gatehouse.internal/adapters/sqlstore/billing"
	"gatehouse.internal/adapters/sqlstore/licensing"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/family/features"
	"gatehouse.internal/application/family/products"
	"gatehouse.internal/application/featureflags"
	"gatehouse.internal/domain/feature"
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

// addDeciding wires the evaluation of features, for commands and tokens.
func (p *parts) addDeciding() {
	p.deciding = &featureflags.Service{
		Directory: licensing.FeatureDirectory(p.store), Expressions: &p.expressions, Language: expression.Costing(featureflags.Cost), People: p.claims, Clock: p.clock,
	}
	p.access.Features = p.deciding
}

func (p *parts) features() family {
	return family{
		service: &features.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) features.Repos {
				return features.Repos{
					Features: licensing.Features(tx), Overrides: licensing.Overrides(tx), Owners: licensing.Owners(tx), Events: tx.Events(),
				}
			}),
			Directory: licensing.FeatureDirectory(p.store),
			Products:  licensing.ProductDirectory(p.store),
			Deciding:  p.deciding,
			Cursors:   p.cursors,
			Clock:     p.clock,
		},
		events: feature.Events(),
	}
}
