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
	upstream "gatehouse.internal/domain/social"
)

// AuthURLParams are the parameters of SOCIAL.AUTH_URL.
type AuthURLParams struct {
	Provider    upstream.Provider `json:"provider" doc:"The provider to sign in at."`
	RedirectURI redirect.URI      `json:"redirect_uri" doc:"Where the person shall arrive with the outcome, in the query: code and state, or error and state. It must be registered: in SOCIAL_REDIRECT_URLS, or as a redirect URL of an app of the operator."`
	Link        bool              `json:"link,omitzero" doc:"Whether to link the account there to yours, instead of signing in: call it with your session, which must have proved presence in the last 15 minutes, and finish with AUTH.SOCIAL_LINK."`
	Invitation  secret.String     `json:"invitation_token,omitzero" doc:"Token of an invitation: whoever signs in by the address that it was mailed to joins the workspace, and the first login makes the account although public registration is off (allow_signup of the provider holds)." jsonschema:"minLength=1,maxLength=512" example:"-"`
}

// AuthURLResult is the result of SOCIAL.AUTH_URL.
type AuthURLResult struct {
	URL       secret.Shown `json:"url" doc:"Where to send the browser. It comes back by way of this service; a page that is the provider's redirect target itself puts its own redirect_uri in place of the one in here."`
	State     secret.Shown `json:"state" doc:"What the outcome comes with: compare it before you believe the rest."`
	ExpiresIn int          `json:"expires_in" doc:"Seconds in which the person has to come back."`
}

func (s *Service) authURL() command.Definition {
	return command.Define(command.Spec[AuthURLParams, AuthURLResult]{
		Name:    "SOCIAL.AUTH_URL",
		Summary: "Begin a login, or a link, at a provider: where to send the browser. State and PKCE are kept here, and work once.",
		Access:  access.Optional().Recent(),
		Recent:  func(p AuthURLParams) bool { return p.Link },
		Effect:  command.Writes,
		Through: maintenance.Closed,
		Emits:   []event.Kind{invitation.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p AuthURLParams) (AuthURLResult, error) {
			begun, err := s.Social.Begin(ctx, call, social.Start{Provider: p.Provider, RedirectURI: p.RedirectURI, Link: p.Link, Invitation: p.Invitation})
			return AuthURLResult{URL: begun.URL, State: begun.State, ExpiresIn: int(begun.ExpiresIn / time.Second)}, err
		},
	})
}
