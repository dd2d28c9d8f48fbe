package view

import (
	"cmp"
	"encoding/json"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
)

// App is an app in results (specification section 2.6).
type App struct {
	ID               app.ID            `json:"id" doc:"ID of the app."`
	OrgID            workspace.ID      `json:"org_id" doc:"ID of the workspace that owns the app."`
	Slug             string            `json:"slug" doc:"The client_id of the app. It never changes."`
	Name             string            `json:"name" doc:"Display name."`
	Description      string            `json:"description" doc:"Description of the app for people, or empty."`
	Type             app.Type          `json:"type" doc:"Type of app. spa and native apps are public clients, which have no secret."`
	RedirectURLs     []string          `json:"redirect_urls" doc:"URLs that authorization responses can be sent to."`
	LogoutURLs       []string          `json:"logout_urls" doc:"URLs that people can be sent to after signing out."`
	GrantTypes       []app.GrantType   `json:"grant_types" doc:"OAuth grant types the app can use."`
	LogoURL          string            `json:"logo_url" doc:"URL of the app's logo, or empty."`
	PolicyURL        string            `json:"policy_url" doc:"URL of the app's privacy policy, or empty."`
	TermsURL         string            `json:"terms_url" doc:"URL of the app's terms of service, or empty."`
	Enabled          bool              `json:"enabled" doc:"Whether the app and its tokens can be used."`
	AccessTTLSeconds int               `json:"access_ttl_seconds" doc:"Maximum and default lifetime of the app's access tokens. Seconds. 0 stands for the default of the service."`
	RefreshTTLDays   int               `json:"refresh_ttl_days" doc:"Lifetime of the app's refresh tokens. Days. 0 stands for the default of the service."`
	TokenExchange    bool              `json:"token_exchange" doc:"Whether the app can exchange tokens (RFC 8693)."`
	ExchangeClients  []string          `json:"token_exchange_clients" doc:"Clients, by client_id, whose tokens the app can exchange besides its own."`
	Scopes           []string          `json:"scopes" doc:"Scopes granted to the app."`
	ScopesListed     bool              `json:"scopes_listed" doc:"Whether the app's tokens carry only these scopes. If false, scopes that are not permissions of this service need no grant."`
	Withdrawn        []string          `json:"scopes_withdrawn,omitzero" doc:"Scopes that were revoked and now need a grant. Only for apps without a list of scopes, and for apps that registered themselves."`
	Vouched          []string          `json:"scopes_vouched,omitzero" doc:"Scopes of the app that a superadmin granted. Only these give access to an API of the instance."`
	JWKS             json.RawMessage   `json:"jwks,omitzero" doc:"Public keys of the app for private_key_jwt, as a JWK Set. Absent if it has none."`
	JWKSURI          string            `json:"jwks_uri" doc:"URL where the app publishes its public keys, or empty."`
	Claims           map[string]string `json:"claims" doc:"Custom claims of the app: expressions by claim name."`
	Origin           app.Origin        `json:"origin,omitzero" doc:"Origin of an app that nobody in the workspace vouches for. open: the app registered itself, and nobody vouches for it. document: only the URL that is its client_id vouches for it."`
	AppRules
	CreatedAt time.Time `json:"created_at" doc:"Time the app was registered."`
	UpdatedAt time.Time `json:"updated_at" doc:"Time the app was last changed."`
}

// AppRules are how OAuth holds for an app in results.
type AppRules struct {
	AuthMethod           app.AuthMethod       `json:"token_endpoint_auth_method,omitzero" doc:"Client authentication method. If absent, the app can present a secret or an assertion."`
	BackchannelLogoutURI string               `json:"backchannel_logout_uri" doc:"URL that receives a logout token when a session ends in which somebody signed in to the app, or empty."`
	SubjectType          app.SubjectType      `json:"subject_type" doc:"Type of identifier by which the client knows people."`
	SectorURI            string               `json:"sector_identifier_uri" doc:"URL that lists the redirect URLs of the sector of the app, or empty."`
	IDTokenAlg           signingkey.Algorithm `json:"id_token_signed_response_alg" doc:"Algorithm that signs ID tokens and logout tokens."`
	RequirePKCE          bool                 `json:"require_pkce" doc:"Whether authorization requests need PKCE."`
	RequirePAR           bool                 `json:"require_par" doc:"Whether authorization requests must be pushed."`
	DPoPBound            bool                 `json:"dpop_bound_access_tokens" doc:"Whether the tokens of the app must be bound to a key."`
	SkipConsent          bool                 `json:"skip_consent" doc:"Whether people are signed in to the app without being asked for consent."`
	Profile              app.Profile          `json:"profile,omitzero" doc:"Security profile of the app."`
	AnyWorkspace         bool                 `json:"any_workspace" doc:"Whether the roles and groups in tokens come from the workspace that the person acts in, instead of the workspace that owns the app."`
}

// rulesOf returns the effective rules of an app, including those of its type and
// profile.
func rulesOf(s app.Snapshot) AppRules {
	method := s.AuthMethod
	if s.Type.Public() {
		method = app.AuthNone
	}
	return AppRules{
		AuthMethod: method, BackchannelLogoutURI: s.BackchannelLogoutURI, SubjectType: cmp.Or(s.SubjectType, app.PublicSubject), SectorURI: s.SectorURI, IDTokenAlg: s.SignedBy(),
		RequirePKCE: s.NeedsPKCE(), RequirePAR: s.PushesOnly(), DPoPBound: s.BindsTokens(), SkipConsent: s.SkipConsent, Profile: s.Profile, AnyWorkspace: s.AnyWorkspace,
	}
}

// OfApp shows an app.
func OfApp(s app.Snapshot) App {
	return App{
		ID: s.ID, OrgID: s.OrgID, Slug: s.Slug, Name: s.Name, Description: s.Description, Type: s.Type,
		RedirectURLs: s.RedirectURLs, LogoutURLs: s.LogoutURLs, GrantTypes: s.GrantTypes,
		LogoURL: s.LogoURL, PolicyURL: s.PolicyURL, TermsURL: s.TermsURL, Enabled: s.Enabled,
		AccessTTLSeconds: int(s.AccessTTL / time.Second), RefreshTTLDays: int(s.RefreshTTL / (24 * time.Hour)),
		TokenExchange: s.TokenExchange, ExchangeClients: s.ExchangeClients, Scopes: s.Scopes, ScopesListed: s.Listed, Withdrawn: s.Withdrawn,
		Vouched: s.Vouched,
		JWKS:    json.RawMessage(orNil(s.JWKS)), JWKSURI: s.JWKSURI, Claims: s.Claims, Origin: s.Origin,
		AppRules:  rulesOf(s),
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
}

// orNil returns the bytes of a text, nil for an empty one.
func orNil(text string) []byte {
	if text == "" {
		return nil
	}
	return []byte(text)
}
