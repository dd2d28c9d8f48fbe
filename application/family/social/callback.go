package social

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/signin/redirect"
	"gatehouse.internal/application/signin/social"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/invitation"
	outcome "gatehouse.internal/domain/login"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	upstream "gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// CallbackParams are the parameters of SOCIAL.CALLBACK.
type CallbackParams struct {
	Provider    upstream.Provider `json:"provider" doc:"The provider that the person signed in at."`
	Code        secret.String     `json:"code" doc:"The code that came back, good for two minutes and once: that of this service, or the provider's own, with the state." jsonschema:"minLength=1,maxLength=2048"`
	RedirectURI redirect.URI      `json:"redirect_uri" doc:"The address that the login was begun with."`
	State       secret.String     `json:"state,omitzero" doc:"The state that came back. A page that is the provider's redirect target itself must send it; everybody else may." jsonschema:"minLength=1,maxLength=256"`
	OrgID       workspace.ID      `json:"org_id,omitzero" doc:"Workspace to enter; absent: the one last active, else the personal one." example:"-"`
}

func (s *Service) callback() command.Definition {
	return command.Define(command.Spec[CallbackParams, login.Outcome]{
		Name: "SOCIAL.CALLBACK",
		Summary: "Finish a login at a provider: tokens, or a challenge for the second factor. The first login makes an account when the provider vouches for the email address; " +
			"an account that has the address already is joined only when it was verified here too and is no superadmin's, otherwise sign in and link (AUTH.SOCIAL_LINK).",
		Access:  access.Public(),
		Effect:  command.Outside,
		Through: maintenance.Closed,
		Trigger: flow.SocialLogin,
		Emits: []event.Kind{
			outcome.KindSucceeded, outcome.KindFailed, user.KindCreated, workspace.KindCreated, identity.KindLinked,
			session.KindCreated, mfa.KindChallenged, invitation.KindAccepted, invitation.KindRevoked, workspace.KindMemberAdded, user.KindEmailVerified,
		},
		Handle: func(ctx context.Context, call command.Call, p CallbackParams) (login.Outcome, error) {
			return s.Social.Finish(ctx, call, social.Return{Provider: p.Provider, RedirectURI: p.RedirectURI, Code: p.Code, State: p.State, Org: p.OrgID})
		},
	})
}
