package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/delegation"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/adapters/totp"
	"gatehouse.internal/application/account"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/maildomains"
	"gatehouse.internal/application/signin/factor"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/signin/passwordless"
	"gatehouse.internal/application/signin/recovery"
	"gatehouse.internal/application/signin/redirect"
	"gatehouse.internal/application/signin/ticket"
)

// standing returns the repositories of what ends with an account's credentials.
func standing(tx *sqlstore.Tx) account.AccessRepos {
	return account.AccessRepos{
		Users: people.Users(tx), Sessions: people.Sessions(tx), Challenges: signin.Challenges(tx), Devices: signin.Devices(tx), APIKeys: machines.APIKeys(tx),
		DelegationRepos: account.DelegationRepos{Grants: delegation.Grants(tx), Consents: delegation.Consents(tx)},
	}
}

func loginRepos(tx *sqlstore.Tx) login.Repos {
	return login.Repos{
		AccessRepos: standing(tx), Credentials: signin.Credentials(tx), Workspaces: workspaces.Workspaces(tx), Books: workspaces.Books(tx), Entrants: signin.Entrants(tx), Belonging: workspaces.UserWorkspaces(tx),
		Events: tx.Events(), Failures: signin.LoginFailures(tx), Factors: signin.SecondFactors(tx),
		Clients: signin.KnownClients(tx), Notices: people.Notices(tx),
		Mails: tx.Mails(), WaysIn: signin.LoginMethods(tx), Guesses: signin.Guesses(tx), Histories: signin.RiskHistories(tx), Assessments: signin.Assessments(tx), Identities: signin.Identities(tx), SocialSetups: signin.SocialSetups(tx),
		Inviting: invitingRepos(tx), Runs: ops.FlowRuns(tx),
		Domains: maildomains.Repos{Workspaces: workspaces.Workspaces(tx), Books: workspaces.Books(tx), Domains: workspaces.MailDomains(tx)},
	}
}

// factor returns the service that verifies second factors.
func (p *parts) factor() *factor.Service {
	return &factor.Service{
		Login:             p.login,
		Unit:              live.Unit(sqlstore.NewUnit(p.store, loginRepos)),
		Providers:         p.social.Providers,
		TOTP:              totp.TOTP{Random: p.random},
		Passkeys:          p.passkeys,
		Blinder:           p.store.Blinder(),
		BrandingDirectory: workspaces.BrandingDirectory(p.store),
		Clock:             p.clock,
		IDs:               p.ids,
		Random:            p.random,
	}
}

// redirects returns the rules for redirect addresses.
func (p *parts) redirects() redirect.Registered {
	return redirect.Registered{Listed: p.config.SocialRedirectURLs, Apps: machines.Redirects(p.store), Clock: p.clock}
}

func (p *parts) recovery() *recovery.Service {
	return &recovery.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) recovery.Repos {
			return recovery.Repos{Repos: loginRepos(tx), Passkeys: signin.Passkeys(tx), Bindings: machines.DPoPBindings(tx)}
		}),
		Login: p.login, Links: signin.Links(p.store), Directory: people.UserDirectory(p.store), Apps: machines.AppDirectory(p.store),
		Passwords: p.passwords, Policies: p.policies, Clock: p.clock,
	}
}

func (p *parts) passwordless() *passwordless.Service {
	return &passwordless.Service{
		Unit: live.Unit(sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) passwordless.Repos {
			return passwordless.Repos{Repos: loginRepos(tx)}
		})),
		Login: p.login, Inviting: p.inviting(), Links: signin.Links(p.store), Policies: p.policies,
		Redirects: p.redirects(), Blinder: p.store.Blinder(), Clock: p.clock, Random: p.random,
	}
}

func (p *parts) tickets() *ticket.Service {
	return &ticket.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) ticket.Repos {
			return ticket.Repos{Users: people.Users(tx), Challenges: signin.Challenges(tx), Factors: signin.SecondFactors(tx), Events: tx.Events()}
		}),
		Links: signin.Links(p.store), Directory: people.UserDirectory(p.store), Redirects: p.redirects(),
		Host: p.config.ServiceHost, Clock: p.clock, Random: p.random,
	}
}
