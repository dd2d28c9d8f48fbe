package bootstrap

import (
	"net/url"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/totp"
	"gatehouse.internal/application/factor"
	"gatehouse.internal/application/family/factors"
)

// factor checks second factors. Authenticator apps show the host of the service.
func (p *parts) factor() *factor.Service {
	host := ""
	if parsed, err := url.Parse(p.config.ServiceHost); err == nil {
		host = parsed.Hostname()
	}
	return &factor.Service{
		Login:     p.login,
		Unit:      sqlstore.NewUnit(p.store, loginRepos),
		Providers: p.social.Providers,
		TOTP:      totp.TOTP{Random: p.random},
		Passkeys:  p.passkeys,
		Blinder:   p.store.Blinder(),
		Issuer:    host,
		Clock:     p.clock,
		IDs:       p.ids,
		Random:    p.random,
	}
}

func (p *parts) factors() *factors.Service {
	return &factors.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) factors.Repos {
			return factors.Repos{
				Users: tx.Users(), Sessions: tx.Sessions(), Challenges: tx.Challenges(),
				Factors: tx.SecondFactors(), Devices: tx.Devices(),
			}
		}),
		Directory: p.store.FactorDirectory(),
		Users:     p.store.UserDirectory(),
		Policies:  p.policies,
		Clock:     p.clock,
		Random:    p.random,
	}
}
