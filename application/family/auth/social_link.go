package auth

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/redirect"
	"gatehouse.internal/application/signin/social"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/secret"
	upstream "gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// Linked are the social accounts of people.
type Linked struct {
	Social    *social.Service
	Directory signin.IdentityDirectory
}

// SocialLinkParams are the parameters of AUTH.SOCIAL_LINK.
type SocialLinkParams struct {
	Provider    upstream.Provider `json:"provider" doc:"The provider that you signed in at."`
	Code        secret.String     `json:"code" doc:"The code that came back from a SOCIAL.AUTH_URL with link, which this same session asked for." jsonschema:"minLength=1,maxLength=2048"`
	RedirectURI redirect.URI      `json:"redirect_uri" doc:"The address that it was begun with."`
	State       secret.String     `json:"state,omitzero" doc:"The state that came back. A page that is the provider's redirect target itself must send it; everybody else may." jsonschema:"minLength=1,maxLength=256"`
}

// SocialLinkResult is the result of AUTH.SOCIAL_LINK.
type SocialLinkResult struct {
	Identity view.Identity `json:"identity" doc:"The linked account."`
}

func (s *Service) socialLink() command.Definition {
	return command.Define(command.Spec[SocialLinkParams, SocialLinkResult]{
		Name: "AUTH.SOCIAL_LINK",
		Summary: "Link an account at a provider to yours, so that you can sign in by it. Where the provider vouches for your own address, that is bound to the account. Where nobody had verified it yet, " +
			"what was set up before ends but for this session: password, passkeys, second factors, keys and other sessions.",
		Access: access.User().InPerson().Recent(),
		Effect: command.Outside,
		Emits:  append(account.EndedKinds(), identity.KindLinked, user.KindEmailVerified, workspace.KindMemberAdded),
		Handle: func(ctx context.Context, call command.Call, p SocialLinkParams) (SocialLinkResult, error) {
			linked, err := s.Linked.Social.Link(ctx, call, social.Return{Provider: p.Provider, RedirectURI: p.RedirectURI, Code: p.Code, State: p.State})
			if err != nil {
				return SocialLinkResult{}, err
			}
			return SocialLinkResult{Identity: view.OfIdentity(linked)}, nil
		},
	})
}
