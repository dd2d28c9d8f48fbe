package social

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/secret"
	upstream "gatehouse.internal/domain/social"
)

// TokenGetParams are the parameters of SOCIAL.TOKEN_GET.
type TokenGetParams struct {
	Provider upstream.Provider `json:"provider" doc:"The provider, of which you have linked an account."`
}

// TokenGetResult is the result of SOCIAL.TOKEN_GET.
type TokenGetResult struct {
	AccessToken secret.Shown `json:"access_token" doc:"Your access token at the provider."`
	Scopes      []string     `json:"scopes" doc:"What it is good for, in the provider's words."`
	ExpiresAt   *time.Time   `json:"expires_at" doc:"When it ends; null: the provider does not say."`
}

func (s *Service) tokenGet() command.Definition {
	return command.Define(command.Spec[TokenGetParams, TokenGetResult]{
		Name:    "SOCIAL.TOKEN_GET",
		Summary: "Your own access token at a provider, for calls of its API; it is refreshed when it has ended or is about to.",
		Access:  access.User().InPerson(),
		Effect:  command.Outside,
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
