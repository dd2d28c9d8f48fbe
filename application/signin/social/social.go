// Package social logs people in by an upstream provider, and links accounts there to
// accounts here (specification section 4.5, contract section 6).
//
// # Decision: one way through the provider, one place that exchanges its code
//
// Context: a login may begin by a command or by a link that a browser follows, and
// may end at a page of an application, at a page that is the provider's redirect
// target itself, or at no page at all.
//
// Choice: every login begins by storing its state. When the provider sends the browser
// back to this service, the state is consumed and the provider's code is stored under a
// one-time code. SOCIAL.CALLBACK and AUTH.SOCIAL_LINK exchange that code, or the provider's
// code together with a state that was not consumed here. So only commands, which are
// limited and logged, call a provider, and no login is decided before it is asked for.
//
// What would change our mind: a provider whose codes expire within seconds.
package social

import (
	"context"
	"log/slog"

	"gatehouse.internal/application/invitations"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/signin/redirect"
	domainsocial "gatehouse.internal/domain/social"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/signin"
)

// Repos holds the repositories of one unit of work.
type Repos = login.Repos

// Service logs people in by upstream providers.
type Service struct {
	Unit         outbound.Unit[Repos]
	Transactions outbound.Transactions
	// Links looks up states without consuming them.
	Links     signin.Links
	Login     *login.Service
	Inviting  *invitations.Service
	Providers Providers
	Upstream  signin.Upstream
	Redirects redirect.Registered
	// Issuer is the public address of this service; Pages are the addresses of its pages
	// that a login may end at.
	Issuer string
	Pages  []string
	Logger *slog.Logger
}

// Providers returns the configuration of the providers.
type Providers struct {
	Environment map[domainsocial.Provider]domainsocial.Environment
	Directory   signin.SocialDirectory
}

// All returns every provider with its current configuration.
func (p Providers) All(ctx context.Context) ([]domainsocial.Client, error) {
	set, err := p.Directory.Overrides(ctx)
	if err != nil {
		return nil, err
	}
	var all []domainsocial.Client
	for _, name := range domainsocial.Providers() {
		all = append(all, domainsocial.Resolve(name, p.Environment[name], set[name]))
	}
	return all, nil
}

// Enabled returns the names of the providers that are switched on.
func (p Providers) Enabled(ctx context.Context) ([]string, error) {
	all, err := p.All(ctx)
	on := []string{}
	for _, one := range all {
		if one.Enabled {
			on = append(on, string(one.Provider))
		}
	}
	return on, err
}

// client returns a provider that is switched on. It fails with domainsocial.ErrOff.
func (p Providers) client(ctx context.Context, name domainsocial.Provider) (domainsocial.Client, error) {
	all, err := p.All(ctx)
	if err != nil {
		return domainsocial.Client{}, err
	}
	for _, one := range all {
		if one.Provider == name && one.Enabled {
			return one, nil
		}
	}
	return domainsocial.Client{}, domainsocial.ErrOff
}

// CallbackOf returns the address of this service that a provider sends browsers back to.
func CallbackOf(issuer string, p domainsocial.Provider) string {
	return issuer + "/api/auth/social/" + string(p) + "/callback"
}

func (s *Service) callback(p domainsocial.Provider) string { return CallbackOf(s.Issuer, p) }
