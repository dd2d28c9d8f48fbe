package bootstrap

import (
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	oauthcommands "gatehouse.internal/application/family/oauth"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/resource"
)

func (p *parts) oauth() family {
	return family{
		service: &oauthcommands.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) oauthcommands.Repos {
				return oauthcommands.Repos{
					Resources: machines.Resources(tx), Domains: machines.AudienceDomains(tx), Tokens: machines.IssuedTokens(tx), Workspaces: workspaces.Workspaces(tx), Events: tx.Events(),
				}
			}),
			Directory: machines.ResourceDirectory(p.store),
			Apps:      machines.AppDirectory(p.store),
			Audiences: p.audiences(),
			Clients:   p.clients(),
			Access:    p.access,
			Admission: p.store.Admission(),
			Cursors:   p.cursors,
			Clock:     p.clock,
			IDs:       p.ids,
		},
		events: slices.Concat(resource.Events(), oauth.Events()),
	}
}
