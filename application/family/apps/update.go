package apps

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/registration"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

var errNoSecret = fault.Unfit("/token_endpoint_auth_method", "cannot use a client secret, because the client has none: register a new client")

// UpdateParams are the parameters of APP.UPDATE.
type UpdateParams struct {
	AppID            app.ID            `json:"app_id" doc:"ID of the app."`
	Name             *app.Name         `json:"name,omitzero" doc:"Display name."`
	Description      *app.Description  `json:"description,omitzero" doc:"Description of the app for people. An empty string removes it."`
	RedirectURLs     []app.RedirectURL `json:"redirect_urls,omitzero" doc:"URLs that authorization responses can be sent to, replacing all existing ones. See APP.REGISTER." jsonschema:"maxItems=50,uniqueItems=true"`
	LogoutURLs       []app.RedirectURL `json:"logout_urls,omitzero" doc:"URLs that people can be sent to after signing out, replacing all existing ones. The rules for redirect_urls apply." jsonschema:"maxItems=50,uniqueItems=true"`
	GrantTypes       []app.GrantType   `json:"grant_types,omitzero" doc:"OAuth grant types the app can use, replacing all existing ones." jsonschema:"minItems=1,uniqueItems=true"`
	Enabled          *bool             `json:"enabled,omitzero" doc:"Whether the app is enabled. If you set it to false, the app gets no tokens and its existing tokens are revoked immediately. If you set it to true, it can get new ones."`
	AccessTTLSeconds *int              `json:"access_ttl_seconds,omitzero" doc:"Maximum and default lifetime of the app's access tokens. Seconds, 60 to 86400. Use 0 for the default of the service: 3600, and up to 86400 on request. Existing tokens keep their lifetime." jsonschema:"minimum=0,maximum=86400,example=900"`
	RefreshTTLDays   *int              `json:"refresh_ttl_days,omitzero" doc:"Lifetime of the app's refresh tokens. Days, 1 to 365. Use 0 for the default of the service." jsonschema:"minimum=0,maximum=365,example=30"`
	TokenExchange    *bool             `json:"token_exchange,omitzero" doc:"Whether the app can exchange access tokens for narrower ones (RFC 8693). It can exchange its own tokens and the tokens of token_exchange_clients."`
	ExchangeClients  []app.ClientID    `json:"token_exchange_clients,omitzero" doc:"Clients of the workspace, by client_id, whose tokens for people the app can exchange besides its own. For example, the application that calls this app." jsonschema:"maxItems=50,uniqueItems=true"`
	LogoURL          *app.PageURL      `json:"logo_url,omitzero" doc:"https URL of the app's logo. An empty string removes it."`
	PolicyURL        *app.PageURL      `json:"policy_url,omitzero" doc:"https URL of the app's privacy policy. An empty string removes it."`
	TermsURL         *app.PageURL      `json:"terms_url,omitzero" doc:"https URL of the app's terms of service. An empty string removes it."`
	Scope            *string           `json:"scope,omitzero" doc:"Scopes the app can request, separated by spaces, replacing all existing ones. Permissions of this service are accepted only if the app already has them, and revoked scopes are not accepted: see APP.SCOPE_GRANT. An empty string removes the list, so that scopes that are not permissions of this service need no grant." jsonschema:"maxLength=4096" example:"-"`
	JWKS             map[string]any    `json:"jwks,omitzero" doc:"Public keys of the app, replacing all existing ones. See APP.SET_JWKS." example:"-"`
	JWKSURI          *app.CallURL      `json:"jwks_uri,omitzero" doc:"https URL where the app publishes its public keys. Use it instead of jwks. An empty string without jwks removes the keys. An app that authenticates with private_key_jwt must keep them." example:"-"`

	RulesParams
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:        "APP.UPDATE",
		Summary:     "Update, enable or disable an app.",
		Description: "Omitted fields keep their values. The slug and the type cannot be changed. Disabling an app revokes its tokens immediately.",
		Access:      access.Holding(write).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{app.KindUpdated, app.KindKeysSet, app.KindScopesGranted, app.KindScopesRevoked},
		Handle: func(ctx context.Context, call command.Call, p UpdateParams) (Result, error) {
			rules, err := s.rules(call.Caller, p.RulesParams)
			if err != nil {
				return Result{}, err
			}
			sector, err := s.Registrations.Sector(ctx, p.sectorURI(), call.DryRun)
			if err != nil {
				return Result{}, err
			}
			change := p.change()
			change.Rules = rules
			after, err := s.changed(ctx, call.Caller, p.AppID, func(a *app.App) error {
				if err := s.describe(call.Caller, a, p, change); err != nil {
					return err
				}
				return within(sector, a.Snapshot(), p)
			})
			if err != nil {
				return Result{}, err
			}
			return Result{App: view.OfApp(after)}, s.signs(ctx, after)
		},
	})
}

// describe changes an app, its keys and its scopes.
func (s *Service) describe(caller access.Caller, a *app.App, p UpdateParams, change app.Change) error {
	now := s.Clock.Now()
	if err := a.Update(change, now); err != nil {
		return err
	}
	if err := s.rekey(caller, a, p, now); err != nil {
		return err
	}
	if err := answerable(caller, a.Snapshot()); err != nil || p.Scope == nil {
		return err
	}
	scopes, err := registration.Rescoped(a.Snapshot(), *p.Scope)
	if err != nil {
		return err
	}
	return a.SetScopes(scopes, now)
}

// answerable fails with a validation fault where an app that describes itself is to authenticate by
// a secret, and has none: nobody could issue it one afterwards.
func answerable(caller access.Caller, of app.Snapshot) error {
	if caller.Only == of.ID && !of.Signs(true) && len(of.Secrets) == 0 {
		return errNoSecret
	}
	return nil
}

// rekey replaces the keys of an app where it is to have others.
func (s *Service) rekey(caller access.Caller, a *app.App, p UpdateParams, now time.Time) error {
	if p.JWKS == nil && p.JWKSURI == nil {
		return nil
	}
	var uri string
	if p.JWKSURI != nil {
		uri = string(*p.JWKSURI)
	}
	set, err := s.Registrations.KeysOf(a.Snapshot().Rules, p.JWKS, uri)
	if err != nil {
		return err
	}
	return setKeys(caller, a, set, uri, now)
}

func (p UpdateParams) change() app.Change {
	return app.Change{
		Name: (*string)(p.Name), Description: (*string)(p.Description),
		RedirectURLs: app.Texts(p.RedirectURLs), LogoutURLs: app.Texts(p.LogoutURLs), GrantTypes: p.GrantTypes,
		Enabled: p.Enabled, AccessTTL: times(p.AccessTTLSeconds, time.Second), RefreshTTL: times(p.RefreshTTLDays, 24*time.Hour),
		TokenExchange: p.TokenExchange, ExchangeClients: app.Texts(p.ExchangeClients),
		LogoURL: (*string)(p.LogoURL), PolicyURL: (*string)(p.PolicyURL), TermsURL: (*string)(p.TermsURL),
	}
}

// times returns a duration of so many units; nil stays nil.
func times(count *int, unit time.Duration) *time.Duration {
	if count == nil {
		return nil
	}
	duration := time.Duration(*count) * unit
	return &duration
}
