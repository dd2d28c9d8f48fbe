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
	Name         app.Name          `json:"name" doc:"Name to show."`
	Slug         app.Slug          `json:"slug" doc:"The client_id: unique over the instance, never changed, and the workspace's for good, also once the app is deleted."`
	Description  app.Description   `json:"description,omitzero" doc:"Text to show."`
	RedirectURLs []app.RedirectURL `json:"redirect_urls,omitzero" doc:"Where answers may be sent: absolute https URLs that are matched exactly; http for localhost, 127.0.0.1 and [::1] alone; native apps may use a private-use scheme such as com.example.app:/callback (RFC 8252)." jsonschema:"maxItems=50,uniqueItems=true"`
	Type         app.Type          `json:"type,omitzero" doc:"What kind of program it is; service when absent. spa and native are public clients: they get no secret, prove themselves by PKCE, and M2M.TOKEN refuses them."`
	Scopes       []app.Scope       `json:"scopes,omitzero" doc:"Scopes to grant, none that you do not hold yourself. With this list, also an empty one, its tokens carry nothing beyond what is granted; without it, scopes that are no permissions of this service need no grant." jsonschema:"maxItems=200,uniqueItems=true"`
	GrantTypes   []app.GrantType   `json:"grant_types,omitzero" doc:"Ways to a token it may use; when absent client_credentials for a service, authorization_code and refresh_token for the others. A public client cannot have client_credentials." jsonschema:"minItems=1,uniqueItems=true"`
	LogoutURLs   []app.RedirectURL `json:"logout_urls,omitzero" doc:"Where people may be sent after a logout; what holds for redirect_urls holds for them." jsonschema:"maxItems=50,uniqueItems=true"`
	LogoURL      app.PageURL       `json:"logo_url,omitzero" doc:"https address of a picture."`
	PolicyURL    app.PageURL       `json:"policy_url,omitzero" doc:"https address of its privacy policy."`
	TermsURL     app.PageURL       `json:"terms_url,omitzero" doc:"https address of its terms of use."`
	JWKS         map[string]any    `json:"jwks,omitzero" doc:"Its public keys for private_key_jwt and signed requests; see APP.SET_JWKS." example:"-"`
	JWKSURI      app.CallURL       `json:"jwks_uri,omitzero" doc:"The https address where it publishes them, instead of jwks." example:"-"`

	RulesParams
}

// RegisterResult is the result of APP.REGISTER.
type RegisterResult struct {
	App    Reference    `json:"app" doc:"The new app."`
	APIKey secret.Shown `json:"api_key,omitzero" doc:"The client secret, shown this once; absent for spa and native, and for apps that authenticate by private_key_jwt alone."`
}

// Reference names an app.
type Reference struct {
	ID   app.ID `json:"id" doc:"Identifier of the app."`
	Slug string `json:"slug" doc:"Its client_id."`
}

func (s *Service) register() command.Definition {
	return command.Define(command.Spec[RegisterParams, RegisterResult]{
		Name: "APP.REGISTER",
		Summary: "Register a service account or OAuth client in the active workspace; " +
			"the secret is answered this once, and the slug is the client_id of M2M.TOKEN. The setting max_apps bounds how many a workspace has.",
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
		return workspace.OverQuota(most, "apps", "delete some first", "max_apps")
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
