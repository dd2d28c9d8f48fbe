package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/gorilla/mux"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/inbound"
)

// Paths of dynamic registration (RFC 7591, RFC 7592).
const (
	pathRegister   = "/oauth/register"
	pathRegistered = pathRegister + "/{client_id}"
)

// registration are the endpoints of dynamic registration: OAUTH.CLIENT_REGISTER and,
// for a registered client, APP.GET, APP.UPDATE and APP.DELETE. They accept JSON and
// respond as the RFCs define.
type registration struct {
	*execution

	issuer string
}

// clientMetadata is the metadata of a client. Unknown names (RFC 7591 section 2) and
// null are omitted.
type clientMetadata map[string]jsontext.Value

// clientNames returns the supported metadata names.
func clientNames() []string {
	return []string{
		"client_name", "redirect_uris", "grant_types", "response_types", "token_endpoint_auth_method", "scope", "jwks", "jwks_uri",
		"logo_uri", "policy_uri", "tos_uri", "post_logout_redirect_uris", "backchannel_logout_uri", "subject_type", "sector_identifier_uri", "id_token_signed_response_alg", "require_pkce", "dpop_bound_access_tokens",
		"require_pushed_authorization_requests",
	}
}

var (
	errMetadata  = fault.New(fault.Validation, "the body must be a JSON object of client metadata in UTF-8")
	errOtherSelf = fault.Unfit("/client_id", "must be the client_id of the registration")
)

// clientDescription is the description that a client sent of itself.
type clientDescription struct {
	metadata clientMetadata
	clientID string
	// unsupported are the names of members that are not stored.
	unsupported []string
}

// read parses the metadata of a client.
func (g registration) read(w http.ResponseWriter, r *http.Request) (found clientDescription, refused *fault.Error) {
	borrowed := g.answers.buffers.borrow()
	defer g.answers.buffers.giveBack(borrowed)
	body, err := readBody(r, *borrowed, g.maxBody)
	*borrowed = body
	if err != nil {
		_, refused = unread(w, err)
		return clientDescription{}, refused
	}
	if refused = bounded(body); refused != nil || !isJSON(r.Header) {
		return clientDescription{}, errMetadata
	}
	var sent map[string]jsontext.Value
	if json.Unmarshal(body, &sent) != nil || sent == nil {
		return clientDescription{}, errMetadata
	}
	_ = json.Unmarshal(sent["client_id"], &found.clientID) // anything but a text is treated as missing
	found.metadata, found.unsupported = supported(sent)
	return found, nil
}

// mostUnsupported bounds how many names of unsupported members are returned.
const mostUnsupported = 50

// supported returns the members that are stored, and the sorted names of the others.
// Members without a value, and those of the response itself (RFC 7592 section 2.2), are
// neither.
func supported(sent map[string]jsontext.Value) (stored clientMetadata, others []string) {
	stored = clientMetadata{}
	ofResponses := []string{"client_id", "client_secret", "client_id_issued_at", "client_secret_expires_at", "registration_access_token", "registration_client_uri", "unsupported_metadata", "backchannel_logout_session_required"}
	for name, value := range sent {
		switch {
		case value.Kind() == 'n', string(value) == `""`, slices.Contains(ofResponses, name):
		case slices.Contains(clientNames(), name):
			stored[name] = value.Clone()
		default:
			others = append(others, name)
		}
	}
	slices.Sort(others)
	return stored, others[:min(len(others), mostUnsupported)]
}

// withUnsupported adds the names of unsupported members to a response, so that no
// client takes them for stored.
func withUnsupported(body []byte, names []string) []byte {
	if len(names) == 0 {
		return body
	}
	listed, err := json.Marshal(names)
	if err != nil {
		return body
	}
	return append(append(append(slices.Clone(body[:len(body)-1]), `,"unsupported_metadata":`...), listed...), '}')
}

// register serves POST /oauth/register (RFC 7591 section 3).
func (g registration) register(w http.ResponseWriter, r *http.Request) {
	sent, refused := g.read(w, r)
	var call inbound.Request
	if refused == nil {
		call, refused = g.request(w, r, envelope{command: "OAUTH.CLIENT_REGISTER"})
	}
	if refused == nil {
		if sent.metadata["client_name"] == nil {
			sent.metadata["client_name"] = jsontext.Value(`"` + app.Unnamed + `"`)
		}
		if sent.metadata["redirect_uris"] == nil {
			sent.metadata["redirect_uris"] = jsontext.Value(`[]`)
		}
		call.Params, refused = encoded(sent.metadata)
	}
	if reply := g.execute(w, r, call, refused); reply.Failure == nil {
		g.write(w, http.StatusCreated, withUnsupported(reply.Data, sent.unsupported))
	} else {
		g.refuse(w, r, "OAUTH.CLIENT_REGISTER", reply)
	}
}

// registered serves GET, PUT and DELETE of a client (RFC 7592 section 2).
func (g registration) registered(w http.ResponseWriter, r *http.Request) {
	id := mux.Vars(r)["client_id"]
	asked, unsupported, refused := g.commandFor(w, r, id)
	var call inbound.Request
	if refused == nil {
		call, refused = g.request(w, r, asked)
	}
	var token string
	if refused == nil {
		token = registrationToken(call.Authorization)
		call.Authorization, call.Client = "", &inbound.ClientCredentials{ID: id, Registration: secret.New(token)}
		if token == "" {
			refused = errNoRegistration
		}
	}
	reply := g.execute(w, r, call, refused)
	switch {
	case reply.Failure != nil:
		g.refuse(w, r, asked.command, reply)
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	default:
		body, err := g.information(reply.Data, token)
		if err != nil {
			g.refuse(w, r, asked.command, inbound.Reply{Failure: internal(err)})
			return
		}
		g.write(w, http.StatusOK, withUnsupported(body, unsupported))
	}
}

var errNoRegistration = fault.New(fault.Auth, "invalid_token: registration access token is missing: send Authorization: Bearer <registration access token>")

// registrationToken returns the bearer token of the header, or "".
func registrationToken(authorization string) string {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(token, " ")
}

// commandFor returns the command for a request about a client, and the names of members
// that it does not take.
func (g registration) commandFor(w http.ResponseWriter, r *http.Request, id string) (asked envelope, unsupported []string, refused *fault.Error) {
	switch r.Method {
	case http.MethodDelete:
		return envelope{command: "APP.DELETE", params: object(nil).text("app_id", id).end()}, nil, nil
	case http.MethodPut:
		asked.command = "APP.UPDATE"
		sent, refused := g.read(w, r)
		if refused == nil && sent.clientID != id {
			refused = errOtherSelf
		}
		if refused != nil {
			return asked, nil, refused
		}
		asked.params, refused = encoded(sent.metadata.update(id))
		return asked, sent.unsupported, refused
	}
	return envelope{command: "APP.GET", params: object(nil).text("slug", id).end()}, nil, nil
}

// update converts the metadata to parameters of APP.UPDATE. Omitted metadata is deleted
// (RFC 7592 section 2.2), except for the authentication method, the keys and the name,
// which stay.
func (m clientMetadata) update(id string) clientMetadata {
	changed := clientMetadata{"app_id": jsontext.Value(appendText(nil, id))}
	for _, one := range []struct{ theirs, ours, absent string }{
		{"client_name", "name", ""},
		{"redirect_uris", "redirect_urls", `[]`},
		{"post_logout_redirect_uris", "logout_urls", `[]`},
		{"grant_types", "grant_types", `["authorization_code"]`},
		{"token_endpoint_auth_method", "token_endpoint_auth_method", ""},
		{"scope", "scope", `""`},
		{"jwks", "jwks", ""},
		{"jwks_uri", "jwks_uri", `""`},
		{"logo_uri", "logo_url", `""`},
		{"policy_uri", "policy_url", `""`},
		{"tos_uri", "terms_url", `""`},
		{"backchannel_logout_uri", "backchannel_logout_uri", `""`},
		{"subject_type", "subject_type", `"public"`},
		{"sector_identifier_uri", "sector_identifier_uri", `""`},
		{"id_token_signed_response_alg", "id_token_signed_response_alg", `"RS256"`},
		{"require_pkce", "require_pkce", `true`},
		{"dpop_bound_access_tokens", "dpop_bound_access_tokens", `false`},
		{"require_pushed_authorization_requests", "require_par", `false`},
	} {
		value, given := m[one.theirs]
		if !given {
			value = jsontext.Value(one.absent)
		}
		if len(value) > 0 {
			changed[one.ours] = jsontext.Value(strings.ReplaceAll(string(value), oauth.DeviceGrant, "device_code"))
		}
	}
	return changed
}

func encoded(m clientMetadata) ([]byte, *fault.Error) {
	params, err := json.Marshal(m, json.Deterministic(true))
	if err != nil {
		return nil, errMetadata
	}
	return params, nil
}

func (g registration) write(w http.ResponseWriter, status int, body []byte) {
	w.Header()["Pragma"] = []string{"no-cache"}
	write(w, status, body)
}

func (g registration) refuse(w http.ResponseWriter, r *http.Request, command string, reply inbound.Reply) {
	reply.Command = command
	w.Header()["Pragma"] = []string{"no-cache"}
	g.answers.refuseOAuth(w, r, registrationErrors{}, reply)
}

// registrationErrors translates failures to errors of RFC 7591 section 3.2.2 and RFC
// 7592 section 2.
type registrationErrors struct{}

func (registrationErrors) refusal(failure *fault.Error, word string) (status int, said string, ok bool) {
	switch failure.Code {
	case fault.Auth, fault.TokenExpired, fault.TokenInvalid, fault.NotFound:
		return http.StatusUnauthorized, "invalid_token", true
	case fault.Denied, fault.FlowBlocked:
		if word == "" {
			word = "access_denied"
		}
		return http.StatusForbidden, word, true
	default:
	}
	if len(failure.Fields) > 0 && strings.HasPrefix(failure.Fields[0].Path, "/redirect_ur") {
		return http.StatusBadRequest, "invalid_redirect_uri", true
	}
	return http.StatusBadRequest, "invalid_client_metadata", true
}

func (registrationErrors) challenges(sent http.Header, status int, failure *fault.Error) []string {
	if status == http.StatusUnauthorized && failure.Code == fault.NotFound {
		return []string{plainScheme}
	}
	return challengesOf(sent, failure)
}
