package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/application/family/risk"
)

func (p *parts) risk() family {
	return family{
		service: &risk.Service{
			Lockouts: people.Lockouts(p.store),
			Instance: p.instance,
			Counters: p.limits.counters,
			Blinder:  p.store.Blinder(),
			Clock:    p.clock,
			Cursors:  p.cursors,
			Registry: p.all,
		},
	}
}
