package httpapi

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// How long answers that everybody may see are kept by caches. Keys are short: a
// verifier must learn of a new one soon after a rotation.
const (
	keepDocuments = "public, max-age=300"
	keepKeys      = "public, max-age=15"
)

// paths of the service that other answers name.
const (
	pathExecute = "/api/v1/execute"
	pathKeys    = "/.well-known/jwks.json"
)

// catalogue is the answer of GET /api/v1/commands.
type catalogue struct {
	Version  string               `json:"version"`
	Count    int                  `json:"count"`
	Commands []inbound.Descriptor `json:"commands"`
}

// kinds is the answer of GET /api/v1/events.
type kinds struct {
	Version string                   `json:"version"`
	Count   int                      `json:"count"`
	Events  []inbound.KindDescriptor `json:"events"`
}

// eventKinds is GET /api/v1/events/<kind>.
type eventKinds struct {
	byKind  map[event.Kind]http.Handler
	answers *answers
}

func newEventKinds(all []inbound.KindDescriptor, a *answers) *eventKinds {
	made := &eventKinds{byKind: make(map[event.Kind]http.Handler, len(all)), answers: a}
	for _, kind := range all {
		made.byKind[kind.Type] = a.lasting(func() any { return kind })
	}
	return made
}

func (k *eventKinds) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	page, known := k.byKind[event.Kind(mux.Vars(r)["kind"])]
	if !known {
		k.answers.refuse(w, r, "", fault.New(fault.NotFound, "no event is of this kind"))
		return
	}
	page.ServeHTTP(w, r)
}

// discovery is what verifiers of tokens read.
type discovery struct {
	from    inbound.Discovery
	answers *answers
}

// keys is GET /.well-known/jwks.json (RFC 7517).
func (d *discovery) keys(w http.ResponseWriter, r *http.Request) {
	documentOf(d.from.JWKS(r.Context()), keepKeys).ServeHTTP(w, r)
}

// metadata is what OpenID Connect Discovery 1.0 and RFC 8414 publish, as far as it is
// true of this service: there is no authorization endpoint, hence no response type.
type metadata struct {
	Issuer                string   `json:"issuer"`
	KeysURI               string   `json:"jwks_uri"`
	CommandEndpoint       string   `json:"command_endpoint"`
	TokenEndpoint         string   `json:"token_endpoint"`
	IntrospectionEndpoint string   `json:"introspection_endpoint"`
	GrantTypes            []string `json:"grant_types_supported"`
	ResponseTypes         []string `json:"response_types_supported"`
	SubjectTypes          []string `json:"subject_types_supported"`
	SigningAlgorithms     []string `json:"id_token_signing_alg_values_supported"`
	TokenAuth             []string `json:"token_endpoint_auth_methods_supported"`
	TokenAuthAlgorithms   []string `json:"token_endpoint_auth_signing_alg_values_supported"`
	IntrospectionAuth     []string `json:"introspection_endpoint_auth_methods_supported"`
	ProofAlgorithms       []string `json:"dpop_signing_alg_values_supported"`
	Claims                []string `json:"claims_supported"`
}

// configuration is GET /.well-known/openid-configuration, and with the same content
// GET /.well-known/oauth-authorization-server. Every address in it derives from the
// configured issuer, never from the request's Host.
func (d *discovery) configuration(w http.ResponseWriter, r *http.Request) {
	d.answers.publish(w, r, describing(d.from.Issuer(), d.from.SigningAlgorithms(r.Context())), keepKeys)
}

// describing is the metadata of an issuer that signs with these algorithms.
func describing(issuer string, signing []string) metadata {
	proofs := strings.Fields(proofAlgs)
	return metadata{
		Issuer: issuer, KeysURI: issuer + pathKeys, CommandEndpoint: issuer + pathExecute,
		TokenEndpoint: issuer + pathIssue, IntrospectionEndpoint: issuer + pathIntrospect,
		GrantTypes: []string{clientCredentials}, ResponseTypes: []string{}, SubjectTypes: []string{"public"},
		SigningAlgorithms: signing,
		TokenAuth:         []string{"client_secret_basic", "client_secret_post", "private_key_jwt"},
		// Keys of clients are of the same kinds as those of proofs.
		TokenAuthAlgorithms: proofs, IntrospectionAuth: []string{"none"}, ProofAlgorithms: proofs,
		Claims: []string{
			"sub", "iss", "aud", "exp", "iat", "jti", "sid", "auth_time", "amr", "email", "org_id", "roles",
		},
	}
}

// internal makes any failure of a look-up one whose cause only the log sees.
func internal(cause error) *fault.Error { return fault.New(fault.Internal, "").Because(cause) }
