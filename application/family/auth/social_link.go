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
	domainsocial "gatehouse.internal/domain/social"
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
	Provider    domainsocial.Provider `json:"provider" doc:"Provider that you signed in to."`
	Code        secret.String         `json:"code" doc:"Code returned after SOCIAL.AUTH_URL with link, called from this same session." jsonschema:"minLength=1,maxLength=2048"`
	RedirectURI redirect.URI          `json:"redirect_uri" doc:"Redirect address that the link was started with."`
	State       secret.String         `json:"state,omitzero" doc:"State returned with the code. Required from a page that is itself the provider's redirect target, optional otherwise." jsonschema:"minLength=1,maxLength=256"`
}

// SocialLinkResult is the result of AUTH.SOCIAL_LINK.
type SocialLinkResult struct {
	Identity view.Identity `json:"identity" doc:"The linked account."`
}

func (s *Service) socialLink() command.Definition {
	return command.Define(command.Spec[SocialLinkParams, SocialLinkResult]{
		Name:    "AUTH.SOCIAL_LINK",
		Summary: "Link an account at a provider to your account.",
		Description: "You can sign in with the linked account afterward. If the provider vouches for your own email address, the address is bound to " +
			"your account.\n\n" +
			"If nobody had verified the address yet, everything set up before ends except the current session: password, passkeys, second " +
			"factors, keys and other sessions.",
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
