package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/application/passwordless"
	"gatehouse.internal/application/recovery"
	"gatehouse.internal/application/redirect"
	"gatehouse.internal/application/ticket"
)

// redirects tells where people may be sent back to.
func (p *parts) redirects() redirect.Registered {
	return redirect.Registered{Listed: p.config.SocialRedirectURLs, Apps: p.store.Redirects(), Clock: p.clock}
}

func (p *parts) recovery() *recovery.Service {
	return &recovery.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) recovery.Repos {
			return recovery.Repos{Repos: loginRepos(tx), WaysIn: tx.WaysIn()}
		}),
		Links: p.store.Links(), Directory: p.store.UserDirectory(),
		Passwords: p.passwords, Policies: p.policies, Clock: p.clock,
	}
}

func (p *parts) passwordless() *passwordless.Service {
	return &passwordless.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) passwordless.Repos {
			return passwordless.Repos{Repos: loginRepos(tx), WaysIn: tx.WaysIn()}
		}),
		Login: p.login, Links: p.store.Links(), Policies: p.policies,
		Redirects: p.redirects(), Blinder: p.store.Blinder(), Clock: p.clock, Random: p.random,
	}
}

func (p *parts) tickets() *ticket.Service {
	return &ticket.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) ticket.Repos {
			return ticket.Repos{Users: tx.Users(), Challenges: tx.Challenges(), Factors: tx.SecondFactors(), Events: tx.Events()}
		}),
		Links: p.store.Links(), Directory: p.store.UserDirectory(), Redirects: p.redirects(),
		Host: p.config.ServiceHost, Clock: p.clock, Random: p.random,
	}
}
