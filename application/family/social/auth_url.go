package social

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/redirect"
	"gatehouse.internal/application/signin/social"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/invitation"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/secret"
	domainsocial "gatehouse.internal/domain/social"
)

// AuthURLParams are the parameters of SOCIAL.AUTH_URL.
type AuthURLParams struct {
	Provider    domainsocial.Provider `json:"provider" doc:"Provider to sign in at."`
	RedirectURI redirect.URI          `json:"redirect_uri" doc:"Address that the person returns to, with code and state, or error and state, in the query. It must be registered: in SOCIAL_REDIRECT_URLS, or as a redirect URL of an app of the operator."`
	Link        bool                  `json:"link,omitzero" doc:"Whether to link the account at the provider to yours instead of signing in. Call it with your session, which requires a sign-in within the last 15 minutes. Finish with AUTH.SOCIAL_LINK."`
	Invitation  secret.String         `json:"invitation_token,omitzero" doc:"Token of an invitation. A person who signs in with the invited address joins the workspace. Their first sign-in creates the account even if public registration is disabled. The provider's allow_signup still applies." jsonschema:"minLength=1,maxLength=512" example:"-"`
}

// AuthURLResult is the result of SOCIAL.AUTH_URL.
type AuthURLResult struct {
	URL       secret.Shown `json:"url" doc:"Address to send the browser to. The browser returns by way of this service. A page that is itself the provider's redirect target must replace the redirect_uri in it with its own."`
	State     secret.Shown `json:"state" doc:"State that is returned with the outcome. Compare it before you trust the rest."`
	ExpiresIn int          `json:"expires_in" doc:"Seconds within which the person has to return."`
}

func (s *Service) authURL() command.Definition {
	return command.Define(command.Spec[AuthURLParams, AuthURLResult]{
		Name:        "SOCIAL.AUTH_URL",
		Summary:     "Start a sign-in at a provider, or link an account there.",
		Description: "Returns the address to send the browser to. This service keeps the state and the PKCE secret, and each works once.",
		Access:      access.Optional().Recent(),
		Recent:      func(p AuthURLParams) bool { return p.Link },
		Effect:      command.Writes,
		Through:     maintenance.Closed,
		Emits:       []event.Kind{invitation.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p AuthURLParams) (AuthURLResult, error) {
			begun, err := s.Social.Begin(ctx, call, social.Start{Provider: p.Provider, RedirectURI: p.RedirectURI, Link: p.Link, Invitation: p.Invitation})
			return AuthURLResult{URL: begun.URL, State: begun.State, ExpiresIn: int(begun.ExpiresIn / time.Second)}, err
		},
	})
}
