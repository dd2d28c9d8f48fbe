package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
)

// Upstream speaks with the providers of social logins. What it is told is not
// believed: a profile is normalised, and what cannot be read is an error.
type Upstream interface {
	// AuthorizationURL is where a browser is sent to log in.
	AuthorizationURL(c social.Client, ask UpstreamAsk) (string, error)
	// Exchange takes a provider's code once. It fails with social.ErrCode when the
	// provider does not take it, and with social.ErrUnavailable when the provider is
	// down, slow, or answers nonsense.
	Exchange(ctx context.Context, c social.Client, answer UpstreamAnswer) (UpstreamLogin, error)
	// Refresh gets other tokens. It fails as Exchange does.
	Refresh(ctx context.Context, c social.Client, refresh secret.String) (UpstreamTokens, error)
}

// UpstreamAsk is what an authorization request carries (RFC 6749 section 4.1.1,
// RFC 7636 section 4.3).
type UpstreamAsk struct {
	State       string
	Verifier    string
	RedirectURI string
}

// UpstreamAnswer is what proves to a provider that a code was meant for us.
type UpstreamAnswer struct {
	Code        secret.String
	Verifier    string
	RedirectURI string
}

// UpstreamLogin is who logged in at a provider.
type UpstreamLogin struct {
	Profile social.Profile
	Tokens  UpstreamTokens
}

// UpstreamTokens are what a provider gives for calls of its API.
type UpstreamTokens struct {
	Access secret.String
	// Refresh is empty where the provider gave none.
	Refresh secret.String
	// Life is how long the access token lives; 0: as long as the provider wants.
	Life   time.Duration
	Scopes []string
}
