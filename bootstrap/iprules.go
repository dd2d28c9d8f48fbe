package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/application/family/iprules"
	"gatehouse.internal/domain/iprule"
)

func (p *parts) ipRules() family {
	return family{
		service: &iprules.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) iprules.Repos {
				return iprules.Repos{Rules: ops.IPRules(tx)}
			}),
			Directory: ops.IPRuleDirectory(p.store),
			Rules:     p.addresses,
			Cursors:   p.cursors,
			Clock:     p.clock,
			IDs:       p.ids,
		},
		events: iprule.Events(),
	}
}
