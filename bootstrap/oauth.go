package bootstrap

import (
	"slices"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/delegation"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/people"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/adapters/sqlstore/workspaces"
	"gatehouse.internal/application/authorization"
	"gatehouse.internal/application/backchannel"
	oauthcommands "gatehouse.internal/application/family/oauth"
	"gatehouse.internal/application/registration"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/ports/outbound"
)

func (p *parts) oauth() family {
	return family{
		service: &oauthcommands.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) oauthcommands.Repos {
				return oauthcommands.Repos{
					Apps: machines.Apps(tx), Strangers: machines.Strangers(tx), Quotas: machines.Quotas(tx),
					Resources: machines.Resources(tx), Domains: machines.AudienceDomains(tx), Tokens: machines.IssuedTokens(tx), Grants: delegation.Grants(tx), Consents: delegation.Consents(tx),
					Sessions: people.Sessions(tx), Workspaces: workspaces.Workspaces(tx), Events: tx.Events(),
				}
			}),
			Directory:     machines.ResourceDirectory(p.store),
			Apps:          machines.AppDirectory(p.store),
			Audiences:     p.audiences(),
			Clients:       p.clients(),
			Consents:      delegation.ConsentDirectory(p.store),
			Authorization: p.authorization(),
			Access:        p.access,
			Logins:        p.refresh,
			Admission:     p.store.Admission(),
			Instance:      p.instance,
			Policies:      p.policies,
			Registrations: p.registrations(),
			Random:        p.random,
			Cursors:       p.cursors,
			Clock:         p.clock,
			IDs:           p.ids,
		},
		events: slices.Concat(resource.Events(), oauth.Events()),
	}
}

// authorization returns the service that authorizes clients to act for people.
func (p *parts) authorization() *authorization.Service {
	return &authorization.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) authorization.Repos {
			return authorization.Repos{Grants: delegation.Grants(tx), Devices: delegation.Devices(tx), Consents: delegation.Consents(tx), Challenges: signin.Challenges(tx), Apps: machines.Apps(tx), Strangers: machines.Strangers(tx), Events: tx.Events()}
		}),
		Turns: p.store.GrantTurns(),
		Apps:  p.documents, Consents: delegation.ConsentDirectory(p.store), Devices: delegation.DeviceDirectory(p.store), Links: signin.Links(p.store), Openings: signin.Openings(p.store),
		Admission: p.store.Admission(), Clients: p.clients(), Audiences: p.audiences(), Access: p.access,
		Texts: p.grants, Books: p.books, Custom: p.claims, Login: p.login, Proofs: p.proofs,
		Instance: p.instance, Keys: p.rack(), Clock: p.clock, IDs: p.ids, Random: p.random, Blinder: p.store.Blinder(),
		Sealer: p.requests,
	}
}

// newDocuments returns the lookup of clients, including those described by a metadata
// document.
func (p *parts) newDocuments() *registration.Documents {
	return &registration.Documents{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) registration.Repos {
			return registration.Repos{Apps: machines.Apps(tx), Strangers: machines.Strangers(tx), Resources: machines.Resources(tx)}
		}),
		Clients: p.store.Clients(), Fetcher: p.documentFetcher(), Reader: p.registrations(), Instance: p.instance,
		Limits: p.limits.admission, Blinder: p.store.Blinder(), Clock: p.clock, Logger: p.logger,
	}
}

// documentFetcher returns the client that fetches metadata documents and sectors.
func (p *parts) documentFetcher() outbound.DocumentFetcher {
	if p.described != nil {
		return p.described
	}
	return p.fetcher()
}

// logos returns the service that reads the logos of apps.
func (p *parts) logos() *registration.Logos {
	pictures := p.pictures
	if pictures == nil {
		pictures = p.fetcher()
	}
	return &registration.Logos{Clients: p.store.Clients(), Fetcher: pictures, Clock: p.clock, Logger: p.logger}
}

// fetcher returns the client that fetches metadata and keys of apps. In development they
// may be on this machine.
func (p *parts) fetcher() *fetch.Client {
	return fetch.New(fetch.Options{Loopback: p.config.Development})
}

// registrations returns the reader of client metadata.
func (p *parts) registrations() registration.Reader {
	return registration.Reader{Keys: p.jose, Guard: p.fetcher(), Logouts: p.sender, Documents: p.documentFetcher(), Transactions: p.store}
}

// backchannel returns the service that sends logout tokens.
func (p *parts) backchannel() *backchannel.Service {
	return &backchannel.Service{
		Queue: delegation.Logouts(p.store), Sender: p.sender, Admission: p.store.Admission(), Instance: p.instance, Keys: p.rack(),
		Clock: p.clock, IDs: p.ids, Random: p.random, Logger: p.logger, Issuer: p.config.ServiceHost,
	}
}
