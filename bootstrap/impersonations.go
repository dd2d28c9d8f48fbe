package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/application/family/impersonations"
	"gatehouse.internal/domain/impersonation"
)

func (p *parts) impersonations() family {
	return family{
		service: &impersonations.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) impersonations.Repos {
				return impersonations.Repos{
					Impersonations: people.Impersonations(tx), Sessions: people.Sessions(tx), Users: people.Users(tx),
					Entrants: signin.Entrants(tx), Events: tx.Events(),
				}
			}),
			Directory: people.ImpersonationDirectory(p.store),
			Login:     p.login,
			Policies:  p.policies,
			Access:    p.access,
			Books:     p.books,
			Clock:     p.clock,
			IDs:       p.ids,
			Cursors:   p.cursors,
		},
		events: impersonation.Events(),
	}
}
