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
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	domainsocial "gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// CallbackParams are the parameters of SOCIAL.CALLBACK.
type CallbackParams struct {
	Provider    domainsocial.Provider `json:"provider" doc:"Provider that the person signed in at."`
	Code        secret.String         `json:"code" doc:"Code returned from the sign-in: this service's own, or the provider's together with the state. It works once, for two minutes." jsonschema:"minLength=1,maxLength=2048"`
	RedirectURI redirect.URI          `json:"redirect_uri" doc:"Redirect address that the sign-in was started with."`
	State       secret.String         `json:"state,omitzero" doc:"State returned with the code. Required from a page that is itself the provider's redirect target, optional otherwise." jsonschema:"minLength=1,maxLength=256"`
	OrgID       workspace.ID          `json:"org_id,omitzero" doc:"Workspace to sign in to. Defaults to the last active workspace, else the personal one." example:"-"`
}

func (s *Service) callback() command.Definition {
	return command.Define(command.Spec[CallbackParams, login.Outcome]{
		Name:    "SOCIAL.CALLBACK",
		Summary: "Finish a sign-in at a provider.",
		Description: "Returns a token pair, or a challenge for AUTH.MFA_VERIFY if a second factor is needed.\n\n" +
			"- The first sign-in creates an account if the provider vouches for the email address.\n" +
			"- If an account already has the address, the provider is linked only if the account is known to belong to the owner of the " +
			"address (`bound` in AUTH.VERIFY_EMAIL). The account of a superadmin is never linked.\n" +
			"- In other cases, sign in to the account and link the provider with AUTH.SOCIAL_LINK.",
		Access:  access.Public(),
		Effect:  command.Outside,
		Through: maintenance.Closed,
		Trigger: flow.SocialLogin,
		Emits: []event.Kind{
			loginevent.KindSucceeded, loginevent.KindFailed, user.KindCreated, workspace.KindCreated, identity.KindLinked,
			session.KindCreated, mfa.KindChallenged, invitation.KindAccepted, invitation.KindRevoked, workspace.KindMemberAdded, user.KindEmailVerified,
		},
		Handle: func(ctx context.Context, call command.Call, p CallbackParams) (login.Outcome, error) {
			return s.Social.Finish(ctx, call, social.Return{Provider: p.Provider, RedirectURI: p.RedirectURI, Code: p.Code, State: p.State, Org: p.OrgID})
		},
	})
}
