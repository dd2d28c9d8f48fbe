package inbound

import (
	"context"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
)

// SocialReturns takes browsers that come back from an upstream provider.
type SocialReturns interface {
	// Land takes the state of a login, once, and says where the browser goes on to. It
	// fails with an AUTH_ERROR for a state that is not good for this browser and
	// provider.
	Land(ctx context.Context, landing SocialLanding) (SocialLanded, error)
}

// SocialLanding is what a provider sent a browser back with (RFC 6749 section 4.1.2).
type SocialLanding struct {
	Provider string
	State    secret.String
	// Code is empty when the provider tells an Error instead.
	Code  secret.String
	Error string
	// Browser is the browser-binding value set when the login began; empty without one.
	Browser string
}

// SocialLanded says where the browser goes next.
type SocialLanded struct {
	RedirectURI string
	// Here reports whether the login ends here, at no page.
	Here bool
	// Code is what SOCIAL.CALLBACK takes once; empty when the login was Refused.
	Code    secret.Shown
	State   secret.Shown
	Refused *fault.Error
}
