package apps

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/signingkey"
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

	RulesParams
}

// RulesParams are how an app wants OAuth to hold for it; they belong to APP.REGISTER and
// APP.UPDATE.
type RulesParams struct {
	AuthMethod           *app.AuthMethod       `json:"token_endpoint_auth_method,omitzero" doc:"How the client authenticates (RFC 7591 section 2): none for spa and native, else by a secret (client_secret_basic, client_secret_post: either is taken) or by private_key_jwt alone. Absent: whichever it presents."`
	BackchannelLogoutURI *app.CallURL          `json:"backchannel_logout_uri,omitzero" doc:"https address that gets a logout token when a session ends in which somebody signed in to the app (OpenID Connect Back-Channel Logout 1.0); not within a private network, and without a fragment. It is tried five times within two hours until it answers 200. Empty: none."`
	SubjectType          *app.SubjectType      `json:"subject_type,omitzero" doc:"What the client knows people by: public, their identifier; pairwise, another one for each host of redirect_urls."`
	IDTokenAlg           *signingkey.Algorithm `json:"id_token_signed_response_alg,omitzero" doc:"What its ID tokens and logout tokens are signed by; ES256 when absent. RS256 is for clients that know nothing else."`
	RequirePKCE          *bool                 `json:"require_pkce,omitzero" doc:"false: the client, which authenticates, may ask for codes without PKCE. True when absent, and always for spa and native."`
	RequirePAR           *bool                 `json:"require_par,omitzero" doc:"Whether its authorization requests must be pushed (RFC 9126)."`
	DPoPBound            *bool                 `json:"dpop_bound_access_tokens,omitzero" doc:"Whether it gets only tokens that are bound to a key by DPoP (RFC 9449 section 5.2)."`
	SkipConsent          *bool                 `json:"skip_consent,omitzero" doc:"Whether people are not asked before they are signed in to it: for applications of who runs the instance, set by superadmins alone."`
	Profile              *app.Profile          `json:"profile,omitzero" doc:"fapi2: the FAPI 2.0 Security Profile holds for it, with pushed requests, private_key_jwt and DPoP, and people agree to it anew in each of their sessions. Empty: none." example:"-"`
}

// errFirstParty is returned to callers who are not superadmins and skip consent.
var errFirstParty = fault.New(fault.Denied, "only a superadmin may have an app ask nobody for consent")

// rules returns what of the rules is to be changed. It fails for a caller who may not have
// people signed in unasked, and for an address that nothing may be sent to.
func (s *Service) rules(caller access.Caller, p RulesParams) (app.RulesChange, error) {
	if p.SkipConsent != nil && *p.SkipConsent && !caller.Superadmin {
		return app.RulesChange{}, errFirstParty
	}
	if told := p.BackchannelLogoutURI; told != nil && *told != "" {
		if err := s.Logouts.Check(string(*told)); err != nil {
			return app.RulesChange{}, fault.Unfit("/backchannel_logout_uri", err.Error())
		}
	}
	c := app.RulesChange{
		AuthMethod: p.AuthMethod, BackchannelLogoutURI: (*string)(p.BackchannelLogoutURI), SubjectType: p.SubjectType, IDTokenAlg: p.IDTokenAlg,
		RequirePAR: p.RequirePAR, DPoPBound: p.DPoPBound, SkipConsent: p.SkipConsent, Profile: p.Profile,
	}
	if p.RequirePKCE != nil {
		without := !*p.RequirePKCE
		c.WithoutPKCE = &without
	}
	return c, nil
}

// RegisterResult is the result of APP.REGISTER.
type RegisterResult struct {
	App    Reference    `json:"app" doc:"The new app."`
	APIKey secret.Shown `json:"api_key,omitzero" doc:"The client secret, shown this once; absent for spa and native."`
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
			shown, kept := s.newSecret()
			if p.Type.Public() {
				shown = ""
			}
			wanted := p.registration(call.Caller.Org)
			wanted.ID, wanted.Secret, wanted.Vouched = app.ID(s.IDs.UUID()), kept, call.Caller.Superadmin
			if err := givable(call.Caller, wanted.Scopes); err != nil {
				return RegisterResult{}, err
			}
			rules, err := s.rules(call.Caller, p.RulesParams)
			if err != nil {
				return RegisterResult{}, err
			}
			wanted.Rules = app.Rules{}.With(rules)
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
		Type: p.Type, GrantTypes: p.GrantTypes, RedirectURLs: app.Texts(p.RedirectURLs), LogoutURLs: app.Texts(p.LogoutURLs), LogoURL: string(p.LogoURL),
		Scopes: app.Texts(p.Scopes),
	}
}
