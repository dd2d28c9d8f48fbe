package bootstrap

import (
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	webhookstore "gatehouse.internal/adapters/sqlstore/webhooks"
	"gatehouse.internal/application/engine/kinds"
	"gatehouse.internal/application/family/audit"
	domainaudit "gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/auditstream"
)

func (p *parts) audit() family {
	return family{service: p.auditService(), events: slices.Concat(domainaudit.Events(), auditstream.Events())}
}

func (p *parts) auditService() *audit.Service {
	return &audit.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) audit.Repos {
			return audit.Repos{Log: tx.AuditLog(), Quotas: machines.Quotas(tx), Events: tx.Events(), Streams: webhookstore.Streams(tx)}
		}),
		Jobs:         p.desk(),
		Instance:     p.instance,
		Trail:        p.store.AuditTrail(),
		Chain:        webhookstore.Chain(p.store),
		Heads:        webhookstore.Heads(p.store),
		JOSE:         p.jose,
		Transactions: p.store,
		Streams:      webhookstore.StreamDirectory(p.store),
		Shipper:      p.sender,
		Kinds:        func() *kinds.Catalog { return p.kinds },
		IDs:          p.ids,
		Clock:        p.clock,
		Cursors:      p.cursors,
	}
}
