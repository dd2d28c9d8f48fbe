package social

import (
	"context"

	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/secret"
	domainsocial "gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/signin"
)

// arrival is a person who returned from a provider.
type arrival struct {
	signin.UpstreamLogin

	client domainsocial.Client
	tokens identity.Tokens
	// org is the workspace to enter, if one is named.
	org workspace.ID
	// invitation is the digest of the token of the invitation that they accept, if any.
	invitation string
}

func (a arrival) upstream() identity.Upstream {
	return identity.Upstream{Provider: string(a.client.Provider), ID: a.Profile.ID}
}

// kept returns the form in which the login keeps the arrival.
func (a arrival) kept() *login.Arrival {
	return &login.Arrival{
		Provider: a.client.Provider, ID: a.Profile.ID, Email: a.Profile.Email, Verified: a.Profile.Verified,
		Access: secret.Shown(a.tokens.Access.Reveal()), Refresh: secret.Shown(a.tokens.Refresh.Reveal()),
		ExpiresAt: a.tokens.ExpiresAt, Scopes: a.tokens.Scopes,
	}
}

// arrived returns the reverse of told.
func arrived(at domainsocial.Client, a login.Arrival) arrival {
	return arrival{
		UpstreamLogin: signin.UpstreamLogin{Profile: domainsocial.Profile{ID: a.ID, Email: a.Email, Verified: a.Verified}},
		client:        at,
		tokens: identity.Tokens{
			Access: secret.New(string(a.Access)), Refresh: secret.New(string(a.Refresh)), ExpiresAt: a.ExpiresAt, Scopes: a.Scopes,
		},
	}
}

// Arrivals links upstream accounts to the accounts that their owners log into.
type Arrivals struct {
	Environment map[domainsocial.Provider]domainsocial.Environment
	Clock       outbound.Clock
	IDs         outbound.IDs
}

var _ login.Arrivals = Arrivals{}

// Link links an upstream account to the account of a completed login. Because time may have
// passed while the login waited for a second factor, it decides again whether the upstream
// account may log into this account. If not, the login is refused and not merely left
// unlinked: the proof by the provider no longer holds.
func (s Arrivals) Link(ctx context.Context, tx Repos, owner user.ID, kept login.Arrival) (string, error) {
	setup, err := tx.SocialSetups.ByProvider(ctx, kept.Provider)
	if err != nil {
		return "", err
	}
	from := arrived(domainsocial.Resolve(kept.Provider, s.Environment[kept.Provider], setup.Overrides()), kept)
	seen, err := look(ctx, tx, from)
	if err != nil {
		return "", err
	}
	if _, err := seen.decide(from.Profile); err != nil || seen.account() != owner || !from.client.Enabled {
		return loginevent.Upstream, nil
	}
	now, linked := s.Clock.Now(), seen.linked
	if linked == nil {
		linked = identity.Link(identity.Draft{ID: identity.NewID(s.IDs), UserID: owner, Upstream: from.upstream()}, now)
	}
	linked.Used(from.Profile.Email, from.tokens, now)
	return "", tx.Identities.Save(ctx, linked)
}
