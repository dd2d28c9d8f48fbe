package httpapi

import (
	"net/http"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/spelling"
	"gatehouse.internal/ports/inbound"
)

// Cache lifetimes of public responses. Keys have a short one, since verifiers must find
// a new key soon after a rotation.
const (
	keepDocuments = "public, max-age=300"
	keepKeys      = "public, max-age=15"
)

// Paths that other responses refer to.
const (
	pathExecute = "/api/v1/execute"
	pathKeys    = "/.well-known/jwks.json"
	pathOpenID  = "/.well-known/openid-configuration"
	pathServer  = "/.well-known/oauth-authorization-server"
	// pathPasskeys is where browsers look whether pages of other domains may use the
	// passkeys of this one (Web Authentication section 5.11).
	pathPasskeys = "/.well-known/webauthn" //nolint:gosec // no credential
	// pathResource is the protected resource metadata, optionally followed by the path
	// of the resource (RFC 9728 section 3).
	pathResource = "/.well-known/oauth-protected-resource"
)

// relatedOrigins is the response of GET /.well-known/webauthn.
type relatedOrigins struct {
	Origins []string `json:"origins"`
}

// catalog is the response of GET /api/v1/commands.
type catalog struct {
	Version  string               `json:"version"`
	Count    int                  `json:"count"`
	Commands []inbound.Descriptor `json:"commands"`
}

// commandPages serves GET /api/v1/commands, with ?family= for one family, and GET
// /api/v1/commands/<NAME>.
type commandPages struct {
	from    inbound.Commands
	version string
	answers *answers
	all     http.Handler
	// pages caches the handlers of families by name.
	pages sync.Map
}

func newCommandPages(from inbound.Commands, version string, a *answers) *commandPages {
	p := &commandPages{from: from, version: version, answers: a}
	p.all = a.lasting(func() any { return p.catalog(from.Catalog()) })
	return p
}

func (p *commandPages) catalog(listed []inbound.Descriptor) catalog {
	return catalog{Version: p.version, Count: len(listed), Commands: listed}
}

func (p *commandPages) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	family := r.URL.Query().Get("family")
	if family == "" {
		p.all.ServeHTTP(w, r)
		return
	}
	p.page("family "+family, func() (any, *fault.Error) {
		listed, refused := familyOf(p.from, family)
		if refused != nil {
			return nil, refused
		}
		return p.catalog(listed), nil
	}).ServeHTTP(w, r)
}

// familyOf returns the commands of a family.
func familyOf(commands inbound.Commands, family string) ([]inbound.Descriptor, *fault.Error) {
	var listed []inbound.Descriptor
	var families []string
	for _, d := range commands.Catalog() {
		if d.Family == family {
			listed = append(listed, d)
		}
		families = append(families, d.Family)
	}
	if listed == nil {
		return nil, fault.New(fault.NotFound, "unknown command family"+spelling.Hint(family, families))
	}
	return listed, nil
}

// one serves GET /api/v1/commands/<NAME>, which REGISTRY.DESCRIBE answers as well.
func (p *commandPages) one(w http.ResponseWriter, r *http.Request) {
	name := mux.Vars(r)["name"]
	described, known := p.from.Describe(r.Context(), name)
	if known {
		p.answers.publish(w, r, described, keepKeys)
		return
	}
	var names []string
	for _, d := range p.from.Catalog() {
		names = append(names, d.Name)
	}
	p.answers.refuse(w, r, "", fault.New(fault.Unknown, "unknown command"+spelling.Hint(name, names)))
}

// page returns the cached handler of a page, or creates it with the result of find.
func (p *commandPages) page(name string, find func() (any, *fault.Error)) http.Handler {
	if page, asked := p.pages.Load(name); asked {
		return page.(http.Handler) //nolint:forcetypeassert // nothing else is stored
	}
	found, failure := find()
	if failure != nil {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.answers.refuse(w, r, "", failure) })
	}
	page, _ := p.pages.LoadOrStore(name, p.answers.lasting(func() any { return found }))
	return page.(http.Handler) //nolint:forcetypeassert // nothing else is stored
}

// kinds is the response of GET /api/v1/events.
type kinds struct {
	Version string                   `json:"version"`
	Count   int                      `json:"count"`
	Events  []inbound.KindDescriptor `json:"events"`
}

// eventKinds serves GET /api/v1/events/<kind>.
type eventKinds struct {
	from    inbound.Discovery
	answers *answers
	// pages caches the handlers of kinds by name.
	pages sync.Map
}

func (k *eventKinds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := event.Kind(mux.Vars(r)["kind"])
	page, asked := k.pages.Load(name)
	if !asked {
		described, known := k.from.Kind(name)
		if !known {
			var names []string
			for _, kind := range k.from.Kinds() {
				names = append(names, string(kind.Type))
			}
			k.answers.refuse(w, r, "", fault.New(fault.NotFound, "unknown event type"+spelling.Hint(string(name), names)))
			return
		}
		page, _ = k.pages.LoadOrStore(name, k.answers.lasting(func() any { return described }))
	}
	page.(http.Handler).ServeHTTP(w, r) //nolint:forcetypeassert // nothing else is stored
}

// discovery serves the metadata for verifiers of tokens.
type discovery struct {
	from    inbound.Discovery
	answers *answers
}

// keys serves GET /.well-known/jwks.json (RFC 7517).
func (d *discovery) keys(w http.ResponseWriter, r *http.Request) {
	documentOf(d.from.JWKS(r.Context()), keepKeys).ServeHTTP(w, r)
}

// metadata is the authorization server metadata of OpenID Connect Discovery 1.0 and RFC
// 8414.
type metadata struct {
	Issuer                string   `json:"issuer"`
	KeysURI               string   `json:"jwks_uri"`
	CommandEndpoint       string   `json:"command_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	IntrospectionEndpoint string   `json:"introspection_endpoint"`
	RevocationEndpoint    string   `json:"revocation_endpoint"`
	GrantTypes            []string `json:"grant_types_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	SubjectTypes          []string `json:"subject_types_supported"`
	SigningAlgorithms     []string `json:"id_token_signing_alg_values_supported"`
	TokenAuth             []string `json:"token_endpoint_auth_methods_supported"`
	TokenAuthAlgorithms   []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	AuthorizationEndpoint string   `json:"authorization_endpoint"`
	PushEndpoint          string   `json:"pushed_authorization_request_endpoint"`
	DeviceEndpoint        string   `json:"device_authorization_endpoint"`
	PersonEndpoint        string   `json:"userinfo_endpoint"`
	LogoutEndpoint        string   `json:"end_session_endpoint"`
	RegistrationEndpoint  string   `json:"registration_endpoint,omitempty"`
	ClientDocuments       bool     `json:"client_id_metadata_document_supported,omitzero"`
	BackchannelLogout     bool     `json:"backchannel_logout_supported"`
	BackchannelSession    bool     `json:"backchannel_logout_session_supported"`
	ResponseModes         []string `json:"response_modes_supported"`
	Challenges            []string `json:"code_challenge_methods_supported"`
	Scopes                []string `json:"scopes_supported"`
	Contexts              []string `json:"acr_values_supported"`
	Prompts               []string `json:"prompt_values_supported"`
	NamesIssuer           bool     `json:"authorization_response_iss_parameter_supported"`
	ClaimsParameter       bool     `json:"claims_parameter_supported"`
	RequestParameter      bool     `json:"request_parameter_supported"`
	RequestAlgorithms     []string `json:"request_object_signing_alg_values_supported"`
	// RequestURI reports whether request_uri may be an address of the client; pushed
	// requests work in any case.
	RequestURI           bool     `json:"request_uri_parameter_supported"`
	IntrospectionAuth    []string `json:"introspection_endpoint_auth_methods_supported"`
	IntrospectionAlgs    []string `json:"introspection_endpoint_auth_signing_alg_values_supported"`
	RevocationAuth       []string `json:"revocation_endpoint_auth_methods_supported"`
	RevocationAlgorithms []string `json:"revocation_endpoint_auth_signing_alg_values_supported"`
	ProofAlgorithms      []string `json:"dpop_signing_alg_values_supported"`
	Claims               []string `json:"claims_supported"`
}

// configuration serves GET /.well-known/openid-configuration and, with the same
// content, GET /.well-known/oauth-authorization-server. Addresses derive from the
// configured issuer, never from the request's Host.
func (d *discovery) configuration(w http.ResponseWriter, r *http.Request) {
	able := d.from.Abilities(r.Context())
	described := metadataOf(d.from.Issuer())
	described.ClientDocuments = able.ClientDocuments
	if able.RegistersClients {
		described.RegistrationEndpoint = described.Issuer + pathRegister
	}
	d.answers.publish(w, r, described, keepKeys)
}

// resource is the protected resource metadata (RFC 9728 section 2).
type resource struct {
	Resource      string   `json:"resource"`
	Servers       []string `json:"authorization_servers"`
	Name          string   `json:"resource_name"`
	Scopes        []string `json:"scopes_supported"`
	Methods       []string `json:"bearer_methods_supported"`
	Proofs        []string `json:"dpop_signing_alg_values_supported"`
	Documentation string   `json:"resource_documentation"`
}

// resource serves GET /.well-known/oauth-protected-resource, also followed by the path
// of an endpoint. The audience of tokens is the issuer in any case.
func (d *discovery) resource(w http.ResponseWriter, r *http.Request) {
	issuer := d.from.Issuer()
	d.answers.publish(w, r, resource{
		Resource: issuer + strings.TrimPrefix(r.URL.Path, pathResource), Servers: []string{issuer}, Name: "Gatehouse", Scopes: oauth.SupportedScopes(), Methods: []string{"header"},
		Proofs: strings.Fields(proofAlgs), Documentation: issuer + "/docs",
	}, keepDocuments)
}

// metadataOf returns the metadata of an issuer.
func metadataOf(issuer string) metadata {
	// Client keys may use the same algorithms as DPoP proofs.
	proofs := strings.Fields(proofAlgs)
	authentication := []string{"client_secret_basic", "client_secret_post", "private_key_jwt"}
	return metadata{
		Issuer: issuer, KeysURI: issuer + pathKeys, CommandEndpoint: issuer + pathExecute,
		TokenEndpoint: issuer + pathToken, IntrospectionEndpoint: issuer + pathInspect, RevocationEndpoint: issuer + pathRevokeOwn,
		AuthorizationEndpoint: issuer + pathAuthorize, PushEndpoint: issuer + pathPush, PersonEndpoint: issuer + pathPerson, LogoutEndpoint: issuer + pathLogout, DeviceEndpoint: issuer + pathDevice,
		GrantTypes: []string{"authorization_code", "refresh_token", oauth.DeviceGrant, oauth.ExchangeGrant, clientCredentials}, ResponseTypes: []string{"code"}, ResponseModes: []string{"query", "form_post"},
		Challenges: []string{"S256"}, Scopes: oauth.SupportedScopes(), Contexts: oauth.Reached([]string{"hwk"}), Prompts: oauth.KnownPrompts(),
		NamesIssuer: true, BackchannelLogout: true, BackchannelSession: true, SubjectTypes: []string{"public", "pairwise"},
		SigningAlgorithms: []string{string(signingkey.ES256), string(signingkey.RS256)},
		TokenAuth:         append([]string{"none"}, authentication...), TokenAuthAlgorithms: proofs, IntrospectionAuth: authentication, IntrospectionAlgs: proofs,
		RevocationAuth: authentication, RevocationAlgorithms: proofs, ProofAlgorithms: proofs, ClaimsParameter: true, RequestParameter: true, RequestAlgorithms: proofs,
		Claims: []string{
			"sub", "iss", "aud", "azp", "exp", "iat", "jti", "sid", "auth_time", "acr", "amr", "nonce", "at_hash",
			"name", "preferred_username", "given_name", "family_name", "picture", "locale", "zoneinfo", "updated_at", "email", "email_verified", "org_id", "roles", "groups",
		},
	}
}

// internal returns an internal error with a cause that only the log contains.
func internal(cause error) *fault.Error { return fault.New(fault.Internal, "").Because(cause) }
