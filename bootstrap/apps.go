package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/application/family/apps"
	"gatehouse.internal/domain/app"
)

func (p *parts) apps() family {
	return family{
		service: &apps.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) apps.Repos {
				return apps.Repos{Apps: machines.Apps(tx), Tokens: machines.IssuedTokens(tx), Quotas: machines.Quotas(tx), Events: tx.Events()}
			}),
			Instance:      p.instance,
			Directory:     machines.AppDirectory(p.store),
			Claims:        p.claims,
			SigningKeys:   p.rack(),
			Registrations: p.registrations(),
			Logouts:       p.sender,
			Cursors:       p.cursors,
			Clock:         p.clock,
			IDs:           p.ids,
			Random:        p.random,
		},
		events: app.Events(),
	}
}
