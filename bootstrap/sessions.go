package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/application/family/sessions"
	"gatehouse.internal/domain/session"
)

func (p *parts) sessions() family {
	return family{
		service: &sessions.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) sessions.Repos {
				return sessions.Repos{Sessions: people.Sessions(tx), DelegationRepos: standing(tx).DelegationRepos}
			}),
			Directory: people.SessionDirectory(p.store),
			Clock:     p.clock,
			Cursors:   p.cursors,
		},
		events: session.Events(),
	}
}
