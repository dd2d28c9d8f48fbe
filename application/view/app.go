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
	ID               app.ID            `json:"id" doc:"Identifier of the app."`
	OrgID            workspace.ID      `json:"org_id" doc:"The workspace it belongs to."`
	Slug             string            `json:"slug" doc:"Its client_id; it never changes."`
	Name             string            `json:"name" doc:"Name to show."`
	Description      string            `json:"description" doc:"Text to show, or empty."`
	Type             app.Type          `json:"type" doc:"What kind of program it is; spa and native are public clients, which have no secret."`
	RedirectURLs     []string          `json:"redirect_urls" doc:"Where answers may be sent."`
	LogoutURLs       []string          `json:"logout_urls" doc:"Where people may be sent after a logout."`
	GrantTypes       []app.GrantType   `json:"grant_types" doc:"Ways to a token it may use."`
	LogoURL          string            `json:"logo_url" doc:"Address of a picture, or empty."`
	PolicyURL        string            `json:"policy_url" doc:"Address of its privacy policy, or empty."`
	TermsURL         string            `json:"terms_url" doc:"Address of its terms of use, or empty."`
	Enabled          bool              `json:"enabled" doc:"Whether it and its tokens may be used."`
	AccessTTLSeconds int               `json:"access_ttl_seconds" doc:"Seconds that its tokens live at most and by default; 0: the service's default."`
	RefreshTTLDays   int               `json:"refresh_ttl_days" doc:"Days that its refresh tokens live; 0: the service's default."`
	TokenExchange    bool              `json:"token_exchange" doc:"Whether it may exchange tokens (RFC 8693)."`
	ExchangeClients  []string          `json:"token_exchange_clients" doc:"Clients, by client_id, whose tokens it may exchange beside its own."`
	Scopes           []string          `json:"scopes" doc:"Scopes it was granted."`
	ScopesListed     bool              `json:"scopes_listed" doc:"Whether its tokens carry nothing beyond these; otherwise scopes that are no permissions of this service need no grant."`
	Withdrawn        []string          `json:"scopes_withdrawn,omitzero" doc:"Without a list, or where it registered itself: the scopes that were taken back and need a grant now."`
	Vouched          []string          `json:"scopes_vouched,omitzero" doc:"Those of its scopes that a superadmin granted: they alone open an API of the instance."`
	JWKS             json.RawMessage   `json:"jwks,omitzero" doc:"Its public keys for private_key_jwt, a JWK Set; absent: none."`
	JWKSURI          string            `json:"jwks_uri" doc:"Where its public keys are published, or empty."`
	Claims           map[string]string `json:"claims" doc:"Its custom claims: expressions by name."`
	Origin           app.Origin        `json:"origin,omitzero" doc:"Who vouches for it where nobody of the workspace does: open, nobody, for it registered itself; document, the address that is its client_id."`
	AppRules
	CreatedAt time.Time `json:"created_at" doc:"When it was registered."`
	UpdatedAt time.Time `json:"updated_at" doc:"When it last changed."`
}

// AppRules are how OAuth holds for an app in results.
type AppRules struct {
	AuthMethod           app.AuthMethod       `json:"token_endpoint_auth_method,omitzero" doc:"How it authenticates; absent: by a secret or an assertion, whichever it presents."`
	BackchannelLogoutURI string               `json:"backchannel_logout_uri" doc:"What gets a logout token when a session ends in which somebody signed in to it, or empty."`
	SubjectType          app.SubjectType      `json:"subject_type" doc:"What it knows people by."`
	SectorURI            string               `json:"sector_identifier_uri" doc:"Address that lists the redirect addresses of its sector, or empty."`
	IDTokenAlg           signingkey.Algorithm `json:"id_token_signed_response_alg" doc:"What its ID tokens and logout tokens are signed by."`
	RequirePKCE          bool                 `json:"require_pkce" doc:"Whether its authorization requests need PKCE."`
	RequirePAR           bool                 `json:"require_par" doc:"Whether its authorization requests must be pushed."`
	DPoPBound            bool                 `json:"dpop_bound_access_tokens" doc:"Whether its tokens must be bound to a key."`
	SkipConsent          bool                 `json:"skip_consent" doc:"Whether people are not asked before they are signed in to it."`
	Profile              app.Profile          `json:"profile,omitzero" doc:"The profile that holds for it."`
	AnyWorkspace         bool                 `json:"any_workspace" doc:"Whether roles and groups in its tokens are those of the workspace that the person acts in, instead of the workspace that owns the app."`
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
