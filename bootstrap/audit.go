package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/application/family/audit"
	entries "gatehouse.internal/domain/audit"
)

func (p *parts) audit() family {
	return family{
		service: &audit.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) audit.Repos {
				return audit.Repos{Log: tx.AuditLog(), Quotas: machines.Quotas(tx)}
			}),
			Instance: p.instance,
			Trail:    p.store.AuditTrail(),
			Clock:    p.clock,
			Cursors:  p.cursors,
		},
		events: entries.Events(),
	}
}
