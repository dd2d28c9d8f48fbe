package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	dpopcommands "gatehouse.internal/application/family/dpop"
	"gatehouse.internal/domain/dpop"
)

func (p *parts) dpop() family {
	return family{
		service: &dpopcommands.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) dpopcommands.Repos {
				return dpopcommands.Repos{Bindings: machines.DPoPBindings(tx)}
			}),
			Directory: machines.BindingDirectory(p.store),
			Keys:      p.jose,
			Checker:   p.proofs,
			Clock:     p.clock,
			IDs:       p.ids,
			Cursors:   p.cursors,
		},
		events: dpop.Events(),
	}
}
