package bootstrap

import (
	passkeyadapter "gatehouse.internal/adapters/passkey"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/signin/passkey"
)

// addPasskeys wires the WebAuthn ceremonies, which several families share.
func (p *parts) addPasskeys() error {
	ceremonies, err := passkeyadapter.New(p.config.RelyingParty, p.random)
	if err != nil {
		return err
	}
	p.passkeys = &passkey.Service{
		Unit: live.Unit(sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) passkey.Repos {
			return passkey.Repos{Repos: loginRepos(tx), Passkeys: signin.Passkeys(tx)}
		})),
		Directory:  signin.PasskeyDirectory(p.store),
		Ceremonies: ceremonies,
		Openings:   signin.Openings(p.store),
		Inviting:   p.inviting(),
		Login:      p.login,
		Policies:   p.policies,
		Instance:   p.instance,
		Clock:      p.clock,
		IDs:        p.ids,
	}
	return nil
}
