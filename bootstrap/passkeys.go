package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/application/family/passkeys"
	"gatehouse.internal/domain/passkey"
)

func (p *parts) passkeyCommands() family {
	return family{
		service: &passkeys.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) passkeys.Repos {
				return passkeys.Repos{Users: people.Users(tx), Passkeys: signin.Passkeys(tx), Factors: signin.SecondFactors(tx), LoginMethods: signin.LoginMethods(tx), Challenges: signin.Challenges(tx)}
			}),
			Ceremonies: p.passkeys,
			Directory:  signin.PasskeyDirectory(p.store),
			Users:      people.UserDirectory(p.store),
			Policies:   p.policies,
			Providers:  p.social.Providers,
			Clock:      p.clock,
		},
		events: passkey.Events(),
	}
}
