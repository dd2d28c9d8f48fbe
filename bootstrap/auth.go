package bootstrap

import (
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/application/family/auth"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/ticket"
)

func (p *parts) auth() family {
	return family{
		service: &auth.Service{
			Unit:      live.Unit(sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) auth.Repos { return auth.Repos{Repos: loginRepos(tx)} })),
			Login:     p.login,
			Factors:   p.factor(),
			Passwords: p.passwords,
			Rotations: p.store.Rotations(),
			Access:    p.access,
			Refresh:   p.refresh,
			Instance:  p.instance,
			Clock:     p.clock,
			IDs:       p.ids,

			Recovery:     p.recovery(),
			Passwordless: p.passwordless(),
			Tickets:      p.tickets(),
			Inviting:     p.inviting(),
			Providers:    p.social.Providers,
			Linked:       auth.Linked{Social: p.social, Directory: signin.IdentityDirectory(p.store)},
		},
		events: slices.Concat(credential.Events(), loginevent.Events(), ticket.Events()),
	}
}
