package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/family/roles"
	"gatehouse.internal/domain/role"
)

func (p *parts) roles() family {
	return family{
		service: &roles.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) roles.Repos {
				return roles.Repos{Books: workspaces.Books(tx), Roles: workspaces.Roles(tx), Domains: workspaces.MailDomains(tx)}
			}),
			Rights:  workspaces.Rights(p.store),
			Books:   p.books,
			Cursors: p.cursors,
			Clock:   p.clock,
			IDs:     p.ids,
		},
		events: role.Events(),
	}
}
