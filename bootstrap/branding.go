package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	brandingcommands "gatehouse.internal/application/family/branding"
	"gatehouse.internal/domain/branding"
)

func (p *parts) branding() family {
	return family{
		service: &brandingcommands.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) brandingcommands.Repos {
				return brandingcommands.Repos{Brandings: workspaces.Brandings(tx), Events: tx.Events()}
			}),
			BrandingDirectory: workspaces.BrandingDirectory(p.store),
		},
		events: branding.Events(),
	}
}
