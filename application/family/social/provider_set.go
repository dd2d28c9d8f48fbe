package social

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/patch"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
	domainsocial "gatehouse.internal/domain/social"
)

// ProviderSetParams are the parameters of SOCIAL.PROVIDER_SET.
type ProviderSetParams struct {
	Provider     domainsocial.Provider                 `json:"provider" doc:"Provider to configure."`
	ClientID     patch.Optional[domainsocial.ClientID] `json:"client_id,omitzero" nullable:"true" doc:"Client ID of this service at the provider. Null resets it to the value from the environment."`
	ClientSecret patch.Optional[domainsocial.Secret]   `json:"client_secret,omitzero" nullable:"true" doc:"Client secret of this service at the provider. Null resets it to the value from the environment."`
	Scopes       patch.Optional[domainsocial.Scopes]   `json:"scopes,omitzero" nullable:"true" doc:"Scopes to request from the provider. Without the email address, no new accounts can be created. Null resets them to the built-in scopes."`
	Enabled      patch.Optional[bool]                  `json:"enabled,omitzero" nullable:"true" doc:"Whether people can sign in with the provider. Null enables it as soon as it has a client ID and a client secret."`
	AllowSignup  patch.Optional[bool]                  `json:"allow_signup,omitzero" nullable:"true" doc:"Whether a first sign-in can create an account. Applies only if public registration is enabled. Null means true."`
}

// ProviderSetResult is the result of SOCIAL.PROVIDER_SET.
type ProviderSetResult struct {
	Provider Provider `json:"provider" doc:"The provider after the change."`
}

func (s *Service) providerSet() command.Definition {
	return command.Define(command.Spec[ProviderSetParams, ProviderSetResult]{
		Name:    "SOCIAL.PROVIDER_SET",
		Summary: "Configure a sign-in provider.",
		Description: "The values take precedence over the environment. Omitted fields keep their value. Null resets a field to the value from the " +
			"environment, or to its default.\n\n" +
			"Changes take effect on every replica with the next request, also for sign-ins in progress.",
		Access: access.Superadmin().Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{domainsocial.KindProviderUpdated},
		Handle: func(ctx context.Context, _ command.Call, p ProviderSetParams) (ProviderSetResult, error) {
			env := s.Social.Providers.Environment[p.Provider]
			var result ProviderSetResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				setup, err := tx.Setups.ByProvider(ctx, p.Provider)
				if err != nil {
					return err
				}
				if err := setup.Set(p.change(), env); err != nil {
					return err
				}
				result.Provider = s.show(domainsocial.Resolve(p.Provider, env, setup.Overrides()))
				if !setup.Changed() {
					return nil
				}
				return tx.Setups.Save(ctx, setup)
			})
			return result, err
		},
	})
}

func (p ProviderSetParams) change() domainsocial.Change {
	return domainsocial.Change{
		ClientID:     field(p.ClientID, func(id domainsocial.ClientID) string { return string(id) }),
		ClientSecret: field(p.ClientSecret, func(kept domainsocial.Secret) secret.String { return kept.String }),
		Scopes: field(p.Scopes, func(scopes domainsocial.Scopes) []string {
			texts := make([]string, len(scopes))
			for i, scope := range scopes {
				texts[i] = string(scope)
			}
			return texts
		}),
		Enabled:     field(p.Enabled, func(on bool) bool { return on }),
		AllowSignup: field(p.AllowSignup, func(on bool) bool { return on }),
	}
}

// field returns a parameter as the domain takes it.
func field[P, T any](sent patch.Optional[P], plain func(P) T) domainsocial.Field[T] {
	change := domainsocial.Field[T]{Given: sent.Given}
	if sent.Value != nil {
		value := plain(*sent.Value)
		change.Value = &value
	}
	return change
}
