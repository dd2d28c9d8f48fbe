package apps

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/registering"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

var errNoSecret = fault.Unfit("/token_endpoint_auth_method", "must not be by a secret, of which the client has none: it registers another client for that")

// UpdateParams are the parameters of APP.UPDATE.
type UpdateParams struct {
	AppID            app.ID            `json:"app_id" doc:"The app."`
	Name             *app.Name         `json:"name,omitzero" doc:"Name to show."`
	Description      *app.Description  `json:"description,omitzero" doc:"Text to show; empty takes it away."`
	RedirectURLs     []app.RedirectURL `json:"redirect_urls,omitzero" doc:"All URLs where answers may be sent, in place of those before; see APP.REGISTER." jsonschema:"maxItems=50,uniqueItems=true"`
	LogoutURLs       []app.RedirectURL `json:"logout_urls,omitzero" doc:"All URLs where people may be sent after a logout, in place of those before; what holds for redirect_urls holds for them." jsonschema:"maxItems=50,uniqueItems=true"`
	GrantTypes       []app.GrantType   `json:"grant_types,omitzero" doc:"All ways to a token it may use, in place of those before." jsonschema:"minItems=1,uniqueItems=true"`
	Enabled          *bool             `json:"enabled,omitzero" doc:"false: it gets no tokens, and those it has end at once; true: it may get new ones."`
	AccessTTLSeconds *int              `json:"access_ttl_seconds,omitzero" doc:"Seconds that its tokens live at most and by default, 60 to 86400; 0: the service's default of 3600, and up to 86400 on request. Tokens it has keep theirs." jsonschema:"minimum=0,maximum=86400,example=900"`
	RefreshTTLDays   *int              `json:"refresh_ttl_days,omitzero" doc:"Days that its refresh tokens live, 1 to 365; 0: the service's default." jsonschema:"minimum=0,maximum=365,example=30"`
	TokenExchange    *bool             `json:"token_exchange,omitzero" doc:"Whether it may exchange access tokens for narrower ones (RFC 8693): its own, and those of token_exchange_clients."`
	ExchangeClients  []app.ClientID    `json:"token_exchange_clients,omitzero" doc:"Clients of its workspace, by client_id, whose tokens for people it may exchange beside its own: such as the application that calls this one." jsonschema:"maxItems=50,uniqueItems=true"`
	LogoURL          *app.PageURL      `json:"logo_url,omitzero" doc:"https address of a picture; empty takes it away."`
	PolicyURL        *app.PageURL      `json:"policy_url,omitzero" doc:"https address of its privacy policy; empty takes it away."`
	TermsURL         *app.PageURL      `json:"terms_url,omitzero" doc:"https address of its terms of use; empty takes it away."`
	Scope            *string           `json:"scope,omitzero" doc:"All scopes it may ask for, separated by spaces, in place of those before; permissions of this service only as far as it has them, and nothing that was taken back: see APP.SCOPE_GRANT. Empty: no list, so that scopes that are no permissions of this service need no grant." jsonschema:"maxLength=4096" example:"-"`
	JWKS             map[string]any    `json:"jwks,omitzero" doc:"Its public keys, in place of those before; see APP.SET_JWKS." example:"-"`
	JWKSURI          *app.CallURL      `json:"jwks_uri,omitzero" doc:"Or the https address where it publishes them. Empty without jwks takes the keys away, which an app by private_key_jwt must have." example:"-"`

	RulesParams
}

func (s *Service) update() command.Definition {
	return command.Define(command.Spec[UpdateParams, Result]{
		Name:    "APP.UPDATE",
		Summary: "Change fields of an app, or switch it off and on; those that are absent stay, and the slug and the type are fixed.",
		Access:  access.Holding(write).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{app.KindUpdated, app.KindKeysSet, app.KindScopesGranted, app.KindScopesRevoked},
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
	scopes, err := registering.Rescoped(a.Snapshot(), *p.Scope)
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
