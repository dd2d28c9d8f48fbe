package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/family/apikeys"
	"gatehouse.internal/domain/apikey"
)

func (p *parts) apiKeys() family {
	return family{
		service: &apikeys.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) apikeys.Repos {
				return apikeys.Repos{Keys: machines.APIKeys(tx), Workspaces: workspaces.Workspaces(tx), Quotas: machines.Quotas(tx)}
			}),
			Instance:  p.instance,
			Directory: machines.APIKeyDirectory(p.store),
			Books:     p.books,
			Admission: p.store.Admission(),
			Uses:      p.store.LastUses(),
			Clock:     p.clock,
			IDs:       p.ids,
			Random:    p.random,
			Cursors:   p.cursors,
		},
		events: apikey.Events(),
	}
}
