package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/application/family/ratelimits"
	"gatehouse.internal/domain/limit"
)

func (p *parts) rateLimits() family {
	return family{
		service: &ratelimits.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) ratelimits.Repos {
				return ratelimits.Repos{Rules: p.limits.rules(tx), Events: tx.Events()}
			}),
			Instance: p.instance,
			Counters: p.limits.counters,
			Blinder:  p.store.Blinder(),
			Clock:    p.clock,
			Registry: p.all,
		},
		events: limit.Events(),
	}
}
