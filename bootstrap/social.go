package bootstrap

import (
	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/adapters/pages"
	adapter "gatehouse.internal/adapters/social"
	"gatehouse.internal/adapters/sqlstore"
	socialcommands "gatehouse.internal/application/family/social"
	"gatehouse.internal/application/social"
)

// addSocial wires logins at upstream providers.
func (p *parts) addSocial() {
	p.upstream = adapter.New(p.config.bases())
	p.social = &social.Service{
		Unit:         sqlstore.NewUnit(p.store, loginRepos),
		Transactions: p.store,

		Links:     p.store.Links(),
		Login:     p.login,
		Providers: social.Providers{Environment: p.config.environment(), Directory: p.store.SocialDirectory()},
		Upstream:  p.upstream,
		Redirects: p.redirects(),
		Issuer:    p.config.ServiceHost,
		Pages:     pages.SocialReturns(p.config.ServiceHost),
		Logger:    p.logger,
	}
}

// arrivals takes in who comes from a provider.
func (p *parts) arrivals() social.Arrivals {
	return social.Arrivals{Environment: p.config.environment(), Clock: p.clock, IDs: p.ids}
}

func (p *parts) socialCommands() *socialcommands.Service {
	return &socialcommands.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) socialcommands.Repos {
			return socialcommands.Repos{Setups: tx.SocialSetups()}
		}),
		Social: p.social,
	}
}

// socialPaths are those by which browsers log in at a provider.
func (p *parts) socialPaths() *httpapi.Social {
	return &httpapi.Social{Returns: p.social, Random: p.random}
}
