package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/family/groups"
	"gatehouse.internal/domain/group"
)

func (p *parts) groups() family {
	return family{
		service: &groups.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) groups.Repos {
				return groups.Repos{Books: workspaces.Books(tx), Groups: workspaces.Groups(tx)}
			}),
			Books:     p.books,
			Directory: workspaces.GroupDirectory(p.store),
			Cursors:   p.cursors,
			Clock:     p.clock,
			IDs:       p.ids,
		},
		events: group.Events(),
	}
}
