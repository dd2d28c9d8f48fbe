package apps

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/workspace"
)

// RegisterParams are the parameters of APP.REGISTER.
type RegisterParams struct {
	Name         app.Name          `json:"name" doc:"Display name."`
	Slug         app.Slug          `json:"slug" doc:"The client_id: unique across the instance and permanent. It stays reserved for the workspace, even after the app is deleted."`
	Description  app.Description   `json:"description,omitzero" doc:"Description of the app for people."`
	RedirectURLs []app.RedirectURL `json:"redirect_urls,omitzero" doc:"URLs that authorization responses can be sent to. Absolute https URLs that are matched exactly. http is allowed only for localhost, 127.0.0.1 and [::1]. Native apps can use a private-use scheme such as com.example.app:/callback (RFC 8252)." jsonschema:"maxItems=50,uniqueItems=true"`
	Type         app.Type          `json:"type,omitzero" doc:"Type of app. Defaults to service. spa and native apps are public clients: they have no secret, must use PKCE and cannot use M2M.TOKEN."`
	Scopes       []app.Scope       `json:"scopes,omitzero" doc:"Scopes to grant, limited to scopes that you hold yourself. If you send a list, even an empty one, tokens carry only granted scopes. If you omit it, scopes that are not permissions of this service need no grant." jsonschema:"maxItems=200,uniqueItems=true"`
	GrantTypes   []app.GrantType   `json:"grant_types,omitzero" doc:"OAuth grant types the app can use. Defaults to client_credentials for service apps, and to authorization_code and refresh_token for other types. Public clients cannot use client_credentials." jsonschema:"minItems=1,uniqueItems=true"`
	LogoutURLs   []app.RedirectURL `json:"logout_urls,omitzero" doc:"URLs that people can be sent to after signing out. The rules for redirect_urls apply." jsonschema:"maxItems=50,uniqueItems=true"`
	LogoURL      app.PageURL       `json:"logo_url,omitzero" doc:"https URL of the app's logo."`
	PolicyURL    app.PageURL       `json:"policy_url,omitzero" doc:"https URL of the app's privacy policy."`
	TermsURL     app.PageURL       `json:"terms_url,omitzero" doc:"https URL of the app's terms of service."`
	JWKS         map[string]any    `json:"jwks,omitzero" doc:"Public keys of the app, for private_key_jwt and signed requests. See APP.SET_JWKS." example:"-"`
	JWKSURI      app.CallURL       `json:"jwks_uri,omitzero" doc:"https URL where the app publishes its public keys. Use it instead of jwks." example:"-"`

	RulesParams
}

// RegisterResult is the result of APP.REGISTER.
type RegisterResult struct {
	App    Reference    `json:"app" doc:"The new app."`
	APIKey secret.Shown `json:"api_key,omitzero" doc:"Client secret, returned only once. Absent for spa and native apps, and for apps that authenticate only with private_key_jwt."`
}

// Reference names an app.
type Reference struct {
	ID   app.ID `json:"id" doc:"ID of the app."`
	Slug string `json:"slug" doc:"The client_id of the app."`
}

func (s *Service) register() command.Definition {
	return command.Define(command.Spec[RegisterParams, RegisterResult]{
		Name:    "APP.REGISTER",
		Summary: "Register a service account or OAuth client.",
		Description: "The app is created in the active workspace. The client secret is returned only once. Use the slug as the `client_id` of M2M.TOKEN.\n\n" +
			"The setting `max_apps` limits the number of apps in a workspace.",
		Access: access.Holding(write).Recent(),
		Effect: command.Writes,
		Emits:  []event.Kind{app.KindRegistered},
		Handle: func(ctx context.Context, call command.Call, p RegisterParams) (RegisterResult, error) {
			wanted, err := s.wanted(ctx, call, p)
			if err != nil {
				return RegisterResult{}, err
			}
			var shown secret.Shown
			if !p.Type.Public() && wanted.Rules.Signs(false) {
				shown, wanted.Secret = s.newSecret()
			}
			var registered app.Snapshot
			err = s.Unit.Do(ctx, func(tx Repos) error {
				made, err := app.Register(wanted, s.Clock.Now())
				if err != nil {
					return err
				}
				registered = made.Snapshot()
				if err := s.room(ctx, tx, wanted.OrgID); err != nil {
					return err
				}
				return tx.Apps.Save(ctx, made)
			})
			if err != nil {
				return RegisterResult{}, err
			}
			return RegisterResult{App: Reference{ID: wanted.ID, Slug: wanted.Slug}, APIKey: shown}, s.signs(ctx, registered)
		},
	})
}

// wanted returns the registration that the caller asks for.
func (s *Service) wanted(ctx context.Context, call command.Call, p RegisterParams) (app.Registration, error) {
	r := p.registration(call.Caller.Org)
	r.ID, r.Vouched = app.ID(s.IDs.UUID()), call.Caller.Superadmin
	if err := givable(call.Caller, r.Scopes); err != nil {
		return r, err
	}
	rules, err := s.rules(call.Caller, p.RulesParams)
	if err != nil {
		return r, err
	}
	r.Rules = app.Rules{}.With(rules)
	if err := s.publish(p, &r); err != nil {
		return r, err
	}
	sector, err := s.Registrations.Sector(ctx, p.sectorURI(), call.DryRun)
	if err != nil {
		return r, err
	}
	return r, sector.Covers(r.RedirectURLs)
}

// signs sees to it that there is a key for the ID tokens of an app, so that its verifiers know
// it before the first one.
func (s *Service) signs(ctx context.Context, of app.Snapshot) error {
	if !of.LogsIn() {
		return nil
	}
	_, err := s.SigningKeys.Signing(ctx, of.SignedBy())
	return err
}

// room fails as workspace.OverQuota says where a workspace has all the apps it may have.
func (s *Service) room(ctx context.Context, tx Repos, org workspace.ID) error {
	have, err := tx.Quotas.Apps(ctx, org)
	if most := s.Instance.State().Settings.MaxApps; err == nil && have >= most {
		return workspace.OverQuota(most, "app", "delete unused apps", "max_apps")
	}
	return err
}

func (p RegisterParams) registration(org workspace.ID) app.Registration {
	return app.Registration{
		OrgID: org, Slug: string(p.Slug), Name: string(p.Name), Description: string(p.Description),
		Type: p.Type, GrantTypes: p.GrantTypes, RedirectURLs: app.Texts(p.RedirectURLs), LogoutURLs: app.Texts(p.LogoutURLs), LogoURL: string(p.LogoURL), PolicyURL: string(p.PolicyURL), TermsURL: string(p.TermsURL),
		Scopes: app.Texts(p.Scopes),
	}
}
