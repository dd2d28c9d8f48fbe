package registration

import (
	"cmp"
	"slices"
	"strings"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/delegation"
)

// Errors of client metadata (RFC 7591 section 3.2.2).
var (
	errResponseType = fault.Unfit("/response_types", "must contain only code")
	errKeySources   = fault.Invalid("", "provide either jwks or jwks_uri, not both")
	errNoKeys       = fault.Unfit("/jwks", "is required for private_key_jwt, unless jwks_uri is set")
	errInwardKeys   = fault.Unfit("/jwks_uri", "must be an https URL that is reachable from the internet")
	errNowhere      = fault.Unfit("/redirect_uris", "must contain at least one redirect URI for the grant type authorization_code")
)

// Metadata is how a client describes itself (RFC 7591 section 2).
type Metadata struct {
	Name           app.Name             `json:"client_name" doc:"Display name."`
	RedirectURIs   []app.RedirectURL    `json:"redirect_uris" doc:"URLs that authorization responses can be sent to. See redirect_urls of APP.REGISTER." jsonschema:"maxItems=50,uniqueItems=true"`
	GrantTypes     []GrantName          `json:"grant_types,omitzero" doc:"OAuth grant types the client can use. Defaults to authorization_code." jsonschema:"minItems=1,uniqueItems=true"`
	ResponseTypes  []string             `json:"response_types,omitzero" doc:"Response types the client can use: code." jsonschema:"maxItems=10,example=code"`
	AuthMethod     app.AuthMethod       `json:"token_endpoint_auth_method,omitzero" doc:"Client authentication method. Defaults to client_secret_basic. Use none for a client that cannot keep a secret."`
	Scope          string               `json:"scope,omitzero" doc:"Scopes the client can request, separated by spaces. If omitted, it can request scopes that need no grant." jsonschema:"minLength=1,maxLength=4096,example=openid profile"`
	JWKS           map[string]any       `json:"jwks,omitzero" doc:"Public keys of the client for private_key_jwt, as a JWK Set (RFC 7517)." example:"-"`
	JWKSURI        app.CallURL          `json:"jwks_uri,omitzero" doc:"https URL where the client publishes its public keys. Use it instead of jwks." example:"-"`
	LogoURI        app.PageURL          `json:"logo_uri,omitzero" doc:"https URL of the client's logo."`
	PolicyURI      app.PageURL          `json:"policy_uri,omitzero" doc:"https URL of the client's privacy policy."`
	TermsURI       app.PageURL          `json:"tos_uri,omitzero" doc:"https URL of the client's terms of service."`
	LogoutURIs     []app.RedirectURL    `json:"post_logout_redirect_uris,omitzero" doc:"URLs that people can be sent to after signing out." jsonschema:"maxItems=50,uniqueItems=true"`
	BackchannelURI app.CallURL          `json:"backchannel_logout_uri,omitzero" doc:"URL that receives a logout token when a session ends in which somebody signed in to the client. See backchannel_logout_uri of APP.REGISTER."`
	SubjectType    app.SubjectType      `json:"subject_type,omitzero" doc:"Type of identifier by which the client knows people. Defaults to public."`
	SectorURI      app.CallURL          `json:"sector_identifier_uri,omitzero" doc:"https URL of a JSON array that lists the redirect_uris. Clients that are listed together share pairwise subjects, which belong to the host of this URL." example:"-"`
	IDTokenAlg     signingkey.Algorithm `json:"id_token_signed_response_alg,omitzero" doc:"Algorithm that signs ID tokens. Defaults to RS256, as OpenID Connect Registration requires."`
	RequirePKCE    *bool                `json:"require_pkce,omitzero" doc:"Whether authorization requests need PKCE. Defaults to true. Only a client that authenticates can set it to false."`
	DPoPBound      bool                 `json:"dpop_bound_access_tokens,omitzero" doc:"Whether the tokens of the client must be bound to a key by DPoP (RFC 9449)."`
	RequirePAR     bool                 `json:"require_pushed_authorization_requests,omitzero" doc:"Whether authorization requests must be pushed (RFC 9126)."`
}

// GrantName is a grant type as clients call it (RFC 7591 section 2).
type GrantName string

// SchemaFragment describes the grant type in a JSON Schema.
func (GrantName) SchemaFragment() map[string]any {
	return map[string]any{
		"type": "string", "enum": []any{app.AuthorizationCode, app.RefreshToken, app.ClientCredentials, oauth.DeviceGrant},
		"examples": []any{app.AuthorizationCode},
	}
}

// Reader parses client metadata.
type Reader struct {
	Keys crypt.JWKS
	// Guard checks where keys are published.
	Guard outbound.AddressGuard
	// Logouts checks where logout tokens go.
	Logouts delegation.LogoutSender
	// Documents fetches sectors.
	Documents    outbound.DocumentFetcher
	Transactions outbound.Transactions
}

// Registration returns the attributes of a new app from its metadata and the sector that
// it names, without identifiers. It fails with a validation fault with paths into the
// metadata.
func (r Reader) Registration(m Metadata, in Sector, origin app.Origin) (app.Registration, error) {
	made := app.Registration{
		Name: string(m.Name), GrantTypes: m.grants(), Origin: origin,
		RedirectURLs: app.Texts(m.RedirectURIs), LogoutURLs: app.Texts(m.LogoutURIs),
		LogoURL: string(m.LogoURI), PolicyURL: string(m.PolicyURI), TermsURL: string(m.TermsURI),
		Rules:  m.rules(),
		Scopes: scopesFor(m.Scope, origin), JWKSURI: string(m.JWKSURI),
	}
	made.Type = app.TypeOf(made.Rules.AuthMethod, made.RedirectURLs)
	var err error
	if made.JWKS, err = r.KeysOf(made.Rules, m.JWKS, made.JWKSURI); err != nil {
		return app.Registration{}, err
	}
	if m.BackchannelURI != "" {
		if err := r.Logouts.Check(string(m.BackchannelURI)); err != nil {
			return app.Registration{}, fault.Unfit("/backchannel_logout_uri", err.Error())
		}
	}
	switch {
	case len(m.ResponseTypes) > 0 && !slices.Equal(m.ResponseTypes, []string{"code"}):
		return app.Registration{}, errResponseType
	case slices.Contains(made.GrantTypes, app.AuthorizationCode) && len(made.RedirectURLs) == 0:
		return app.Registration{}, errNowhere
	}
	return made, in.Covers(made.RedirectURLs)
}

// rules returns the rules of a client, with the defaults of RFC 7591 section 2 and
// OpenID Connect Registration section 2.
func (m Metadata) rules() app.Rules {
	return app.Rules{
		AuthMethod: cmp.Or(m.AuthMethod, app.AuthBasic), BackchannelLogoutURI: string(m.BackchannelURI), SubjectType: m.SubjectType, SectorURI: string(m.SectorURI),
		IDTokenAlg: cmp.Or(m.IDTokenAlg, signingkey.RS256), WithoutPKCE: m.RequirePKCE != nil && !*m.RequirePKCE, DPoPBound: m.DPoPBound, RequirePAR: m.RequirePAR,
	}
}

// KeysOf checks where the keys of a client come from for which rules hold, and returns those that
// it sent, as they are stored; "" for none, and for an address.
func (r Reader) KeysOf(rules app.Rules, given map[string]any, uri string) (string, error) {
	if given == nil && uri == "" && !rules.Signs(false) {
		return "", errNoKeys
	}
	return r.Source(given, uri)
}

// Source is KeysOf for a client that may have no keys.
func (r Reader) Source(given map[string]any, uri string) (string, error) {
	switch {
	case given != nil && uri != "":
		return "", errKeySources
	case uri != "" && r.Guard.Check(uri) != nil:
		return "", errInwardKeys
	}
	return publicSet(r.Keys, given, "/jwks")
}

// grants returns the grant types as apps have them.
func (m Metadata) grants() []app.GrantType {
	if m.GrantTypes == nil {
		return []app.GrantType{app.AuthorizationCode}
	}
	grants := make([]app.GrantType, len(m.GrantTypes))
	for i, name := range m.GrantTypes {
		grants[i] = app.GrantType(name)
		if name == oauth.DeviceGrant {
			grants[i] = app.DeviceCode
		}
	}
	return grants
}

// scopesFor returns the scopes that a client may request, nil for those that need no
// grant. A client that nobody vouches for gets no permission of this service.
func scopesFor(scope string, origin app.Origin) []string {
	return scopesIn(scope, func(one string) bool { return origin.Vouched() || !access.IsOwn(one) })
}

// scopesIn returns those of the scopes in a text that may be listed; nil for an empty text.
func scopesIn(scope string, may func(string) bool) []string {
	if scope == "" {
		return nil
	}
	listed := []string{}
	for one := range strings.FieldsSeq(scope) {
		if !slices.Contains(listed, one) && may(one) {
			listed = append(listed, one)
		}
	}
	return listed
}

// Rescoped returns the scopes that an app may request after its metadata changed, nil
// for those that need no grant. It gains no permission of this service and no withdrawn
// scope: these fail with a validation fault, except that permissions are omitted for
// apps that nobody vouches for, as on registration.
func Rescoped(of app.Snapshot, scope string) ([]string, error) {
	var refused string
	listed := scopesIn(scope, func(one string) bool {
		own := access.IsOwn(one)
		if own && access.Permissions(of.Scopes).Cover(one) || !own && !slices.Contains(of.Withdrawn, one) {
			return true
		}
		if !own || of.Origin.Vouched() {
			refused = one
		}
		return false
	})
	if refused != "" {
		return nil, fault.Unfit("/scope", "must not contain "+refused+", which the app is not granted: grant it with APP.SCOPE_GRANT")
	}
	return listed, nil
}
