package social

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/patch"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
	upstream "gatehouse.internal/domain/social"
)

// ProviderSetParams are the parameters of SOCIAL.PROVIDER_SET.
type ProviderSetParams struct {
	Provider     upstream.Provider                 `json:"provider" doc:"The provider."`
	ClientID     patch.Optional[upstream.ClientID] `json:"client_id,omitzero" nullable:"true" doc:"What the provider calls this service; null goes back to the environment's."`
	ClientSecret patch.Optional[upstream.Secret]   `json:"client_secret,omitzero" nullable:"true" doc:"The secret that goes with it; null goes back to the environment's."`
	Scopes       patch.Optional[upstream.Scopes]   `json:"scopes,omitzero" nullable:"true" doc:"What to ask the provider for; without the email address nobody new gets in. null goes back to the built-in ones."`
	Enabled      patch.Optional[bool]              `json:"enabled,omitzero" nullable:"true" doc:"Whether people may sign in by it; null: when it has a client_id and client_secret."`
	AllowSignup  patch.Optional[bool]              `json:"allow_signup,omitzero" nullable:"true" doc:"Whether a first login may make an account, where public registration is on; null: yes."`
}

// ProviderSetResult is the result of SOCIAL.PROVIDER_SET.
type ProviderSetResult struct {
	Provider Provider `json:"provider" doc:"The provider as it is configured now."`
}

func (s *Service) providerSet() command.Definition {
	return command.Define(command.Spec[ProviderSetParams, ProviderSetResult]{
		Name: "SOCIAL.PROVIDER_SET",
		Summary: "Configure a provider while running, over the environment, or switch it on or off; what is absent stays, null goes back to the environment's value. " +
			"It holds on every replica with the next request, also for logins under way.",
		Access: access.Superadmin().Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{upstream.KindProviderUpdated},
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
				result.Provider = s.show(upstream.Resolve(p.Provider, env, setup.Overrides()))
				if !setup.Changed() {
					return nil
				}
				return tx.Setups.Save(ctx, setup)
			})
			return result, err
		},
	})
}

func (p ProviderSetParams) change() upstream.Change {
	return upstream.Change{
		ClientID:     field(p.ClientID, func(id upstream.ClientID) string { return string(id) }),
		ClientSecret: field(p.ClientSecret, func(kept upstream.Secret) secret.String { return kept.String }),
		Scopes: field(p.Scopes, func(scopes upstream.Scopes) []string {
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
func field[P, T any](sent patch.Optional[P], plain func(P) T) upstream.Field[T] {
	change := upstream.Field[T]{Given: sent.Given}
	if sent.Value != nil {
		value := plain(*sent.Value)
		change.Value = &value
	}
	return change
}
