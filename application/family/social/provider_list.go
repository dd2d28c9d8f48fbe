package social

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/social"
	"gatehouse.internal/domain/access"
	upstream "gatehouse.internal/domain/social"
)

// ProviderListResult is the result of SOCIAL.PROVIDER_LIST.
type ProviderListResult struct {
	Items []Provider `json:"items" doc:"The three providers."`
}

// Provider is a provider in results.
type Provider struct {
	Name        upstream.Provider `json:"provider" doc:"Its name."`
	Enabled     bool              `json:"enabled" doc:"Whether people may sign in by it."`
	ClientID    string            `json:"client_id" doc:"What the provider calls this service, or empty."`
	SecretSet   bool              `json:"client_secret_set" doc:"Whether there is a client secret; it is never shown."`
	Scopes      []string          `json:"scopes" doc:"What the provider is asked for."`
	AllowSignup bool              `json:"allow_signup" doc:"Whether a first login may make an account, where public registration is on."`
	Source      string            `json:"source" doc:"Where this comes from: the environment, or SOCIAL.PROVIDER_SET over it." jsonschema:"enum=none,enum=environment,enum=store"`
	RedirectURL string            `json:"redirect_url" doc:"What to register with the provider as the redirect URL."`
}

// show shows a provider.
func (s *Service) show(c upstream.Client) Provider {
	return Provider{
		Name: c.Provider, Enabled: c.Enabled, ClientID: c.ID, SecretSet: !c.Secret.Empty(), Scopes: c.Scopes,
		AllowSignup: c.AllowSignup, Source: string(c.Source), RedirectURL: social.CallbackOf(s.Social.Issuer, c.Provider),
	}
}

func (s *Service) providerList() command.Definition {
	return command.Define(command.Spec[command.None, ProviderListResult]{
		Name:    "SOCIAL.PROVIDER_LIST",
		Summary: "How the three providers are configured, and where that comes from; secrets are not shown.",
		Access:  access.Superadmin(),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, _ command.Call, _ command.None) (ProviderListResult, error) {
			all, err := s.Social.Providers.All(ctx)
			result := ProviderListResult{Items: []Provider{}}
			for _, one := range all {
				result.Items = append(result.Items, s.show(one))
			}
			return result, err
		},
	})
}
