package bootstrap

import (
	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/adapters/pages"
	socialadapter "gatehouse.internal/adapters/social"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/signin/social"
)

// addSocial wires logins at upstream providers.
func (p *parts) addSocial() {
	p.upstream = socialadapter.New(p.config.Social())
	p.social = &social.Service{
		Unit:         live.Unit(sqlstore.NewUnit(p.store, loginRepos)),
		Transactions: p.store,

		Links:     signin.Links(p.store),
		Login:     p.login,
		Inviting:  p.inviting(),
		Providers: social.Providers{Environment: p.config.Clients(), Directory: signin.SocialDirectory(p.store)},
		Upstream:  p.upstream,
		Redirects: p.redirects(),
		Issuer:    p.config.ServiceHost,
		Pages:     pages.SocialReturns(p.config.ServiceHost),
		Logger:    p.logger,
	}
}

// arrivals returns the handling of browsers that return from a provider.
func (p *parts) arrivals() social.Arrivals {
	return social.Arrivals{Environment: p.config.Clients(), Clock: p.clock, IDs: p.ids}
}

// socialPaths configures the paths of social logins.
func (p *parts) socialPaths() *httpapi.Social {
	return &httpapi.Social{Returns: p.social, Random: p.random}
}
