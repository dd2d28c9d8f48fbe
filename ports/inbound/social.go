package inbound

import (
	"context"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
)

// SocialReturns handles browsers that return from an upstream provider.
type SocialReturns interface {
	// Land consumes the state of a login, and returns where the browser continues. It
	// fails with AUTH_ERROR if the state is not valid for this browser and provider.
	Land(ctx context.Context, landing SocialCallback) (SocialRedirect, error)
}

// SocialCallback is an authorization response of a provider (RFC 6749 section 4.1.2).
type SocialCallback struct {
	Provider string
	State    secret.String
	// Code is empty if the provider returned an Error.
	Code  secret.String
	Error string
	// Browser is the browser-binding value set when the login began; empty without one.
	Browser string
}

// SocialRedirect is where the browser continues.
type SocialRedirect struct {
	RedirectURI string
	// Here reports whether the login ends at this endpoint, without a redirect.
	Here bool
	// Code is the single-use parameter of SOCIAL.CALLBACK; empty if the login was
	// Refused.
	Code    secret.Shown
	State   secret.Shown
	Refused *fault.Error
}
