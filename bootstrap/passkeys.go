package bootstrap

import (
	passkeyadapter "gatehouse.internal/adapters/passkey"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/application/family/passkeys"
	"gatehouse.internal/application/passkey"
)

// addPasskeys wires the ceremonies of passkeys, which several families share.
func (p *parts) addPasskeys() error {
	ceremonies, err := passkeyadapter.New(p.config.relyingParty, p.random)
	if err != nil {
		return err
	}
	p.passkeys = &passkey.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) passkey.Repos {
			return passkey.Repos{Repos: loginRepos(tx), Passkeys: tx.Passkeys()}
		}),
		Directory:  p.store.PasskeyDirectory(),
		Ceremonies: ceremonies,
		Openings:   p.store.Openings(),
		Login:      p.login,
		Policies:   p.policies,
		Instance:   p.instance,
		Clock:      p.clock,
		IDs:        p.ids,
	}
	return nil
}

func (p *parts) passkeyCommands() *passkeys.Service {
	return &passkeys.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) passkeys.Repos {
			return passkeys.Repos{Users: tx.Users(), Passkeys: tx.Passkeys(), Factors: tx.SecondFactors(), WaysIn: tx.WaysIn(), Challenges: tx.Challenges()}
		}),
		Ceremonies: p.passkeys,
		Directory:  p.store.PasskeyDirectory(),
		Users:      p.store.UserDirectory(),
		Policies:   p.policies,
		Providers:  p.social.Providers,
		Clock:      p.clock,
	}
}
