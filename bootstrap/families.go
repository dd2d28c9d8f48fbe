package bootstrap

import (
	"reflect"
	"slices"
	"sync"

	"gatehouse.internal/adapters/fetch"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/application/client"
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/family/apikeys"
	"gatehouse.internal/application/family/apps"
	"gatehouse.internal/application/family/audit"
	"gatehouse.internal/application/family/auth"
	brandingcommands "gatehouse.internal/application/family/branding"
	"gatehouse.internal/application/family/devices"
	dpopcommands "gatehouse.internal/application/family/dpop"
	"gatehouse.internal/application/family/events"
	"gatehouse.internal/application/family/jwtkeys"
	m2mcommands "gatehouse.internal/application/family/m2m"
	"gatehouse.internal/application/family/notifications"
	"gatehouse.internal/application/family/permissions"
	"gatehouse.internal/application/family/policies"
	"gatehouse.internal/application/family/ratelimits"
	"gatehouse.internal/application/family/registry"
	"gatehouse.internal/application/family/risk"
	"gatehouse.internal/application/family/roles"
	"gatehouse.internal/application/family/sessions"
	"gatehouse.internal/application/family/settings"
	"gatehouse.internal/application/family/system"
	"gatehouse.internal/application/family/users"
	"gatehouse.internal/application/login"
	"gatehouse.internal/application/schema"
	"gatehouse.internal/application/upkeep"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	entries "gatehouse.internal/domain/audit"
	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/limit"
	outcome "gatehouse.internal/domain/login"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/setting"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/domain/ticket"
	housekeeping "gatehouse.internal/domain/upkeep"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/inbound"
)

// eventDefinitions gathers the kinds of events of all domain packages.
func eventDefinitions() []event.Definition {
	return slices.Concat(
		device.Events(), notice.Events(), identity.Events(), social.Events(),
		mail.Events(),
		apikey.Events(), app.Events(), branding.Events(), entries.Events(),
		credential.Events(), dpop.Events(), limit.Events(), m2m.Events(), mfa.Events(), outcome.Events(), passkey.Events(), policy.Events(), session.Events(),
		ticket.Events(),
		setting.Events(), signingkey.Events(), housekeeping.Events(), user.Events(), workspace.Events(),
	)
}

// family is what declares commands.
type family interface {
	Commands() []command.Definition
}

// definitions gathers the commands of all families. Deriving their schemas is most
// of what a start costs, so every core takes part; what is found wrong with the
// schema of an event is told when the events are described.
func (p *parts) definitions() []command.Definition {
	families := []family{
		p.devices(), p.notifications(), p.risk(),
		p.factors(), p.socialCommands(),
		p.apiKeys(), p.apps(), p.audit(), p.auth(), p.branding(), p.dpop(), p.emails(), p.events(), p.passkeyCommands(), p.jwtKeys(), p.m2m(),
		p.permissions(), p.policyCommands(), p.rateLimits(), p.registryCommands(), p.roles(), p.sessions(), p.settings(), p.system(), p.users(),
	}
	declared := make([][]command.Definition, len(families))
	var deriving sync.WaitGroup
	for i, one := range families {
		deriving.Go(func() { declared[i] = one.Commands() })
	}
	for _, kind := range eventDefinitions() {
		_, _ = schema.Published(reflect.TypeOf(kind.Example))
	}
	deriving.Wait()
	return slices.Concat(declared...)
}

// all gives the registry once every family is in it.
func (p *parts) all() *command.Registry { return p.registry }

func (p *parts) apiKeys() *apikeys.Service {
	return &apikeys.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) apikeys.Repos {
			return apikeys.Repos{Keys: tx.APIKeys(), Workspaces: tx.Workspaces()}
		}),
		Directory: p.store.APIKeyDirectory(),
		Admission: p.store.Admission(),
		Uses:      p.store.LastUses(),
		Clock:     p.clock,
		IDs:       p.ids,
		Random:    p.random,
		Cursors:   p.cursors,
	}
}

func (p *parts) apps() *apps.Service {
	return &apps.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) apps.Repos {
			return apps.Repos{Apps: tx.Apps(), Tokens: tx.IssuedTokens(), Events: tx.Events()}
		}),
		Directory: p.store.AppDirectory(),
		Claims:    p.claims,
		Keys:      p.jose,
		Cursors:   p.cursors,
		Clock:     p.clock,
		IDs:       p.ids,
		Random:    p.random,
	}
}

func (p *parts) audit() *audit.Service {
	return &audit.Service{
		Unit:    sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) audit.Repos { return audit.Repos{Log: tx.AuditLog()} }),
		Trail:   p.store.AuditTrail(),
		Clock:   p.clock,
		Cursors: p.cursors,
	}
}

func loginRepos(tx *sqlstore.Tx) login.Repos {
	return login.Repos{
		Users: tx.Users(), Credentials: tx.Credentials(), Workspaces: tx.Workspaces(), Entrants: tx.Entrants(), Belonging: tx.UserWorkspaces(),
		Sessions: tx.Sessions(), Events: tx.Events(), Failures: tx.LoginFailures(),
		Challenges: tx.Challenges(), Factors: tx.SecondFactors(), Devices: tx.Devices(),
		Clients: tx.KnownClients(), Notices: tx.Notices(),
		Mails: tx.Mails(), WaysIn: tx.WaysIn(), Identities: tx.Identities(), SocialSetups: tx.SocialSetups(),
	}
}

func (p *parts) auth() *auth.Service {
	return &auth.Service{
		Unit:      sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) auth.Repos { return auth.Repos{Repos: loginRepos(tx)} }),
		Login:     p.login,
		Factors:   p.factor(),
		Passwords: p.passwords,
		Rotations: p.store.Rotations(),
		Access:    p.access,
		Refresh:   p.refresh,
		Instance:  p.instance,
		Clock:     p.clock,
		IDs:       p.ids,

		Recovery:     p.recovery(),
		Passwordless: p.passwordless(),
		Tickets:      p.tickets(),
		Providers:    p.social.Providers,
		Linked:       auth.Linked{Social: p.social, Directory: p.store.IdentityDirectory()},
	}
}

func (p *parts) devices() *devices.Service {
	return &devices.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) devices.Repos {
			return devices.Repos{Devices: tx.Devices(), Sessions: tx.Sessions(), Users: tx.Users()}
		}),
		Directory: p.store.DeviceDirectory(),
		Users:     p.store.UserDirectory(),
		Policies:  p.policies,
		Clock:     p.clock,
		IDs:       p.ids,
		Random:    p.random,
	}
}

func (p *parts) dpop() *dpopcommands.Service {
	return &dpopcommands.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) dpopcommands.Repos {
			return dpopcommands.Repos{Bindings: tx.DPoPBindings()}
		}),
		Directory: p.store.BindingDirectory(),
		Keys:      p.jose,
		Checker:   p.proofs,
		Clock:     p.clock,
		IDs:       p.ids,
		Cursors:   p.cursors,
	}
}

func (p *parts) events() *events.Service {
	return &events.Service{Kinds: func() []inbound.KindDescriptor { return p.kinds }}
}

func (p *parts) jwtKeys() *jwtkeys.Service {
	return &jwtkeys.Service{
		Unit:     sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) jwtkeys.Repos { return jwtkeys.Repos{Keys: tx.KeyRing()} }),
		Instance: p.instance,
		Keys:     p.keys,
		Clock:    p.clock,
	}
}

func (p *parts) m2m() *m2mcommands.Service {
	return &m2mcommands.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) m2mcommands.Repos {
			return m2mcommands.Repos{Apps: tx.Apps(), Tokens: tx.IssuedTokens(), Events: tx.Events()}
		}),
		Clients:   p.clients(),
		Issues:    p.store.TokenIssues(),
		Directory: p.store.TokenDirectory(),
		Bindings:  p.store.BindingDirectory(),
		Admission: p.store.Admission(),
		Access:    p.access,
		Proofs:    p.proofs,
		Claims:    p.claims,
		Cursors:   p.cursors,
		Clock:     p.clock,
		IDs:       p.ids,
	}
}

// clients tells who authenticates as an app. An assertion may be made for the
// issuer, or for the address that tokens are asked for at.
func (p *parts) clients() *client.Authenticator {
	return &client.Authenticator{
		Clients: p.store.Clients(), JWKS: p.jose, Fetcher: fetch.New(fetch.Options{}), Replays: p.store.Proofs(),
		LastUses: p.store.LastUses(), Clock: p.clock, Logger: p.logger,
		Audiences: []string{p.config.ServiceHost, p.config.ServiceHost + "/api/m2m/token"},
	}
}

func (p *parts) notifications() *notifications.Service {
	return &notifications.Service{
		Unit:      sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) notifications.Repos { return notifications.Repos{Notices: tx.Notices()} }),
		Directory: p.store.NoticeDirectory(),
		Clock:     p.clock,
		Cursors:   p.cursors,
	}
}

func (p *parts) permissions() *permissions.Service {
	return &permissions.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) permissions.Repos {
			return permissions.Repos{Workspaces: tx.Workspaces()}
		}),
		Accounts: p.store.Accounts(),
		Users:    p.store.UserDirectory(),
		Clock:    p.clock,
		Registry: p.all,
	}
}

func (p *parts) branding() *brandingcommands.Service {
	return &brandingcommands.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) brandingcommands.Repos {
			return brandingcommands.Repos{Brandings: tx.Brandings(), Events: tx.Events()}
		}),
		Looks: p.store.Looks(),
	}
}

func (p *parts) policyCommands() *policies.Service {
	return &policies.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) policies.Repos {
			return policies.Repos{Policies: tx.Policies(), Workspaces: tx.Workspaces(), Events: tx.Events()}
		}),
		Policies: p.policies,
	}
}

func (p *parts) rateLimits() *ratelimits.Service {
	return &ratelimits.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) ratelimits.Repos {
			return ratelimits.Repos{Rules: p.limits.rules(tx), Events: tx.Events()}
		}),
		Instance: p.instance,
		Counters: p.limits.counters,
		Blinder:  p.store.Blinder(),
		Clock:    p.clock,
		Registry: p.all,
	}
}

func (p *parts) registryCommands() *registry.Service {
	return &registry.Service{Registry: p.all, Instance: p.instance, Cursors: p.cursors}
}

func (p *parts) risk() *risk.Service {
	return &risk.Service{
		Lockouts: p.store.Lockouts(),
		Instance: p.instance,
		Counters: p.limits.counters,
		Blinder:  p.store.Blinder(),
		Clock:    p.clock,
		Cursors:  p.cursors,
		Registry: p.all,
	}
}

func (p *parts) roles() *roles.Service {
	return &roles.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) roles.Repos { return roles.Repos{Workspaces: tx.Workspaces()} }),
	}
}

func (p *parts) sessions() *sessions.Service {
	return &sessions.Service{
		Unit:      sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) sessions.Repos { return sessions.Repos{Sessions: tx.Sessions()} }),
		Directory: p.store.SessionDirectory(),
		Clock:     p.clock,
		Cursors:   p.cursors,
	}
}

func (p *parts) settings() *settings.Service {
	return &settings.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) settings.Repos {
			return settings.Repos{Settings: tx.Settings(), Events: tx.Events()}
		}),
		Instance: p.instance,
		Builtin:  setting.Defaults(),
	}
}

func (p *parts) system() *system.Service {
	return &system.Service{
		Unit:     sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) system.Repos { return system.Repos{Events: tx.Events()} }),
		Upkeep:   p.upkeep(),
		Mails:    p.store.MailQueue(),
		Server:   p.post.mailer,
		Instance: p.instance,
		Clock:    p.clock,
		Logger:   p.logger,
		About:    system.About{Version: Version, Issuer: p.config.ServiceHost, Sealing: !p.config.keys.Empty()},
		Registry: p.all,
		Findings: p.config.findings,
	}
}

func (p *parts) users() *users.Service {
	return &users.Service{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) users.Repos {
			return users.Repos{
				Users: tx.Users(), Credentials: tx.Credentials(), Workspaces: tx.Workspaces(),
				Belonging: tx.UserWorkspaces(), Sessions: tx.Sessions(), Challenges: tx.Challenges(), Mails: tx.Mails(),
				Identities: tx.Identities(), WaysIn: tx.WaysIn(), Factors: tx.SecondFactors(),
			}
		}),
		Login:        p.login,
		Tickets:      p.tickets(),
		Transactions: p.store,
		Directory:    p.store.UserDirectory(),
		Accounts:     p.store.Accounts(),
		Factors:      p.store.FactorDirectory(),
		Identities:   p.store.IdentityDirectory(),
		Passwords:    p.passwords,
		Policies:     p.policies,
		Providers:    p.social.Providers,
		Cursors:      p.cursors,
		Clock:        p.clock,
		IDs:          p.ids,
	}
}

func (p *parts) keeper() *upkeep.Keeper {
	return &upkeep.Keeper{
		Unit: sqlstore.NewUnit(p.store, func(tx *sqlstore.Tx) upkeep.Repos {
			return upkeep.Repos{Keys: tx.KeyRing(), Failures: tx.LoginFailures(), Events: tx.Events()}
		}),
		Upkeep: p.store.Upkeep(),
		Keys:   p.keys,
		Clock:  p.clock,
		Logger: p.logger,
	}
}
