package signin

import (
	"context"
	"time"

	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
)

// Upstream is the client of social login providers. Responses are untrusted: profiles
// are normalized, and invalid responses are errors.
type Upstream interface {
	// AuthorizationURL returns the address of an authorization request.
	AuthorizationURL(c social.Client, ask UpstreamAuthParams) (string, error)
	// Exchange redeems an authorization code. It fails with social.ErrCode if the
	// provider rejects the code, and with social.ErrUnavailable if the provider is
	// down, slow, or responds with invalid data.
	Exchange(ctx context.Context, c social.Client, answer UpstreamTokenParams) (UpstreamLogin, error)
	// Refresh exchanges a refresh token. It fails like Exchange.
	Refresh(ctx context.Context, c social.Client, refresh secret.String) (UpstreamTokens, error)
}

// UpstreamAuthParams are the parameters of an authorization request (RFC 6749 section 4.1.1,
// RFC 7636 section 4.3).
type UpstreamAuthParams struct {
	State       string
	Verifier    string
	RedirectURI string
}

// UpstreamTokenParams are the parameters of a token request.
type UpstreamTokenParams struct {
	Code        secret.String
	Verifier    string
	RedirectURI string
}

// UpstreamLogin is a completed login at a provider.
type UpstreamLogin struct {
	Profile social.Profile
	Tokens  UpstreamTokens
}

// UpstreamTokens are the tokens of a provider for its API.
type UpstreamTokens struct {
	Access secret.String
	// Refresh is empty if there is none.
	Refresh secret.String
	// Life is the lifetime of the access token; 0 if unknown.
	Life   time.Duration
	Scopes []string
}
