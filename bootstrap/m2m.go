package bootstrap

import (
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/application/audience"
	"gatehouse.internal/application/client"
	m2mcommands "gatehouse.internal/application/family/m2m"
	"gatehouse.internal/domain/m2m"
)

func (p *parts) m2m() family {
	return family{
		service: &m2mcommands.Service{
			Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) m2mcommands.Repos {
				return m2mcommands.Repos{Apps: machines.Apps(tx), Tokens: machines.IssuedTokens(tx), Resources: machines.Resources(tx), Domains: machines.AudienceDomains(tx), Events: tx.Events()}
			}),
			Clients:   p.clients(),
			Issues:    p.store.TokenIssues(),
			Directory: machines.TokenDirectory(p.store),
			Bindings:  machines.BindingDirectory(p.store),
			Admission: p.store.Admission(),
			Access:    p.access,
			Audiences: p.audiences(),
			Proofs:    p.proofs,
			Claims:    p.claims,
			Cursors:   p.cursors,
			Clock:     p.clock,
			IDs:       p.ids,
		},
		events: m2m.Events(),
	}
}

// audiences returns the rules for audiences of tokens.
func (p *parts) audiences() *audience.Rules {
	return &audience.Rules{Instance: p.instance, Issuer: p.config.ServiceHost, Endpoints: []string{"/api/v1/execute", "/oauth/userinfo"}, Directory: machines.ResourceDirectory(p.store)}
}

// clients returns the authentication of apps. The audience of an assertion may be the
// issuer, or the address of an endpoint at which clients authenticate (RFC 9126 section
// 2).
func (p *parts) clients() *client.Authenticator {
	return &client.Authenticator{
		Clients: p.documents, JWKS: p.jose, Fetcher: p.fetcher(), Replays: p.store.Proofs(),
		LastUses: p.store.LastUses(), Clock: p.clock, Logger: p.logger,
		Audiences: []string{p.config.ServiceHost, p.config.ServiceHost + "/oauth/token", p.config.ServiceHost + "/oauth/par", p.config.ServiceHost + "/oauth/introspect", p.config.ServiceHost + "/api/m2m/token"},
	}
}
