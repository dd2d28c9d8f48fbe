package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	webhookstore "gatehouse.internal/adapters/sqlstore/webhooks"
	"gatehouse.internal/application/family/audit"
	entries "gatehouse.internal/domain/audit"
)

func (p *parts) audit() family {
	return family{service: p.auditService(), events: entries.Events()}
}

func (p *parts) auditService() *audit.Service {
	return &audit.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) audit.Repos {
			return audit.Repos{Log: tx.AuditLog(), Quotas: machines.Quotas(tx), Events: tx.Events()}
		}),
		Jobs:     p.desk(),
		Instance: p.instance,
		Trail:    p.store.AuditTrail(),
		Chain:    webhookstore.Chain(p.store),
		Heads:    webhookstore.Heads(p.store),
		HeadKey:  p.cursors.Key,
		Clock:    p.clock,
		Cursors:  p.cursors,
	}
}
