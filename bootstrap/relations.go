package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/family/relations"
	"gatehouse.internal/domain/relation"
)

func (p *parts) relations() family {
	return family{
		service: &relations.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) relations.Repos {
				return relations.Repos{Relations: workspaces.Relations(tx), Groups: workspaces.GroupHolds(tx), Events: tx.Events()}
			}),
			Relating: p.relating, Cursors: p.cursors, Clock: p.clock,
		},
		events: relation.Events(),
	}
}
