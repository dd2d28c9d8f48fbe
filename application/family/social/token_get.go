package social

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/secret"
	domainsocial "gatehouse.internal/domain/social"
)

// TokenGetParams are the parameters of SOCIAL.TOKEN_GET.
type TokenGetParams struct {
	Provider domainsocial.Provider `json:"provider" doc:"Provider of which you have linked an account."`
}

// TokenGetResult is the result of SOCIAL.TOKEN_GET.
type TokenGetResult struct {
	AccessToken secret.Shown `json:"access_token" doc:"Your access token at the provider."`
	Scopes      []string     `json:"scopes" doc:"Scopes of the token, as the provider names them."`
	ExpiresAt   *time.Time   `json:"expires_at" doc:"When the token expires. Null if the provider does not say."`
}

func (s *Service) tokenGet() command.Definition {
	return command.Define(command.Spec[TokenGetParams, TokenGetResult]{
		Name:        "SOCIAL.TOKEN_GET",
		Summary:     "Get your access token at a provider.",
		Description: "Use the token to call the provider's API. It is refreshed if it has expired or is about to.",
		Access:      access.User().InPerson(),
		Effect:      command.Outside,
		Handle: func(ctx context.Context, call command.Call, p TokenGetParams) (TokenGetResult, error) {
			held, err := s.Social.Token(ctx, call, p.Provider)
			if err != nil {
				return TokenGetResult{}, err
			}
			return TokenGetResult{
				AccessToken: secret.Shown(held.Access.Reveal()), Scopes: append([]string{}, held.Scopes...), ExpiresAt: view.Time(held.ExpiresAt),
			}, nil
		},
	})
}
