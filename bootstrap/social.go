package bootstrap

import (
	"slices"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/signin"
	socialcommands "gatehouse.internal/application/family/social"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/social"
)

func (p *parts) socialCommands() family {
	return family{
		service: &socialcommands.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) socialcommands.Repos {
				return socialcommands.Repos{Setups: signin.SocialSetups(tx)}
			}),
			Social: p.social,
		},
		events: slices.Concat(identity.Events(), social.Events()),
	}
}
