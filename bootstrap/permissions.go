package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/family/permissions"
)

func (p *parts) permissions() family {
	return family{
		service: &permissions.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) permissions.Repos {
				return permissions.Repos{Books: workspaces.Books(tx), Roles: workspaces.Roles(tx), Own: workspaces.OwnPermissions(tx)}
			}),
			Rights:    workspaces.Rights(p.store),
			Directory: workspaces.PermissionDirectory(p.store),
			Books:     p.books,
			Relating:  p.relating,
			Cursors:   p.cursors,
			Clock:     p.clock,
			Registry:  p.all,
		},
	}
}
