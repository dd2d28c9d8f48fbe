package social

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/social"
	"gatehouse.internal/domain/access"
	domainsocial "gatehouse.internal/domain/social"
)

// ProviderListResult is the result of SOCIAL.PROVIDER_LIST.
type ProviderListResult struct {
	Items []Provider `json:"items" doc:"The three providers."`
}

// Provider is a provider in results.
type Provider struct {
	Name        domainsocial.Provider `json:"provider" doc:"Name of the provider."`
	Enabled     bool                  `json:"enabled" doc:"Whether people can sign in with the provider."`
	ClientID    string                `json:"client_id" doc:"Client ID of this service at the provider. Empty if not set."`
	SecretSet   bool                  `json:"client_secret_set" doc:"Whether a client secret is set. The secret is never returned."`
	Scopes      []string              `json:"scopes" doc:"Scopes requested from the provider."`
	AllowSignup bool                  `json:"allow_signup" doc:"Whether a first sign-in can create an account. Applies only if public registration is enabled."`
	Source      string                `json:"source" doc:"Source of the configuration: the environment, or SOCIAL.PROVIDER_SET, which takes precedence." jsonschema:"enum=none,enum=environment,enum=store"`
	RedirectURL string                `json:"redirect_url" doc:"Redirect URL to register with the provider."`
}

// show shows a provider.
func (s *Service) show(c domainsocial.Client) Provider {
	return Provider{
		Name: c.Provider, Enabled: c.Enabled, ClientID: c.ID, SecretSet: !c.Secret.Empty(), Scopes: c.Scopes,
		AllowSignup: c.AllowSignup, Source: string(c.Source), RedirectURL: social.CallbackOf(s.Social.Issuer, c.Provider),
	}
}

func (s *Service) providerList() command.Definition {
	return command.Define(command.Spec[command.None, ProviderListResult]{
		Name:        "SOCIAL.PROVIDER_LIST",
		Summary:     "List sign-in providers and their configuration.",
		Description: "Shows how each of the three providers is configured and where the configuration comes from. Client secrets are never returned.",
		Access:      access.Superadmin(),
		Effect:      command.Reads,
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
