package httpapi

import (
	"net/http"
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
		"logo_uri", "policy_uri", "tos_uri", "post_logout_redirect_uris", "backchannel_logout_uri", "subject_type", "id_token_signed_response_alg", "dpop_bound_access_tokens",
		"require_pushed_authorization_requests",
	}
}

var (
	errMetadata  = fault.New(fault.Validation, "the body must be one JSON object in UTF-8 that describes the client")
	errOtherSelf = fault.Unfit("/client_id", "must be that of the registration")
)

// read parses the metadata of a client, and the client_id in it.
func (g registration) read(w http.ResponseWriter, r *http.Request) (found clientMetadata, clientID string, refused *fault.Error) {
	lent := g.answers.buffers.borrow()
	defer g.answers.buffers.giveBack(lent)
	body, err := readBody(r, *lent, g.maxBody)
	*lent = body
	if err != nil {
		_, refused = unread(w, err)
		return nil, "", refused
	}
	if refused = bounded(body); refused != nil || !isJSON(r.Header) {
		return nil, "", errMetadata
	}
	var sent map[string]jsontext.Value
	if json.Unmarshal(body, &sent) != nil || sent == nil {
		return nil, "", errMetadata
	}
	found = clientMetadata{}
	for _, name := range clientNames() {
		if value, given := sent[name]; given && value.Kind() != 'n' && string(value) != `""` {
			found[name] = value.Clone()
		}
	}
	_ = json.Unmarshal(sent["client_id"], &clientID) // anything but a text is treated as missing
	return found, clientID, nil
}

// register serves POST /oauth/register (RFC 7591 section 3).
func (g registration) register(w http.ResponseWriter, r *http.Request) {
	sent, _, refused := g.read(w, r)
	var call inbound.Request
	if refused == nil {
		call, refused = g.request(w, r, envelope{command: "OAUTH.CLIENT_REGISTER"})
	}
	if refused == nil {
		if sent["client_name"] == nil {
			sent["client_name"] = jsontext.Value(`"` + app.Unnamed + `"`)
		}
		if sent["redirect_uris"] == nil {
			sent["redirect_uris"] = jsontext.Value(`[]`)
		}
		call.Params, refused = encoded(sent)
	}
	if reply := g.execute(w, r, call, refused); reply.Failure == nil {
		g.write(w, http.StatusCreated, reply.Data)
	} else {
		g.refuse(w, r, "OAUTH.CLIENT_REGISTER", reply)
	}
}

// registered serves GET, PUT and DELETE of a client (RFC 7592 section 2).
func (g registration) registered(w http.ResponseWriter, r *http.Request) {
	id := mux.Vars(r)["client_id"]
	command, params, refused := g.commandFor(w, r, id)
	var call inbound.Request
	if refused == nil {
		call, refused = g.request(w, r, envelope{command: command, params: params})
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
		g.refuse(w, r, command, reply)
	case r.Method == http.MethodDelete:
		w.WriteHeader(http.StatusNoContent)
	default:
		body, err := g.information(reply.Data, token)
		if err != nil {
			g.refuse(w, r, command, inbound.Reply{Failure: internal(err)})
			return
		}
		g.write(w, http.StatusOK, body)
	}
}

var errNoRegistration = fault.New(fault.Auth, "invalid_token: send Authorization: Bearer <registration access token>")

// registrationToken returns the bearer token of the header, or "".
func registrationToken(authorization string) string {
	scheme, token, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimLeft(token, " ")
}

// commandFor returns the command for a request about a client.
func (g registration) commandFor(w http.ResponseWriter, r *http.Request, id string) (command string, params []byte, refused *fault.Error) {
	switch r.Method {
	case http.MethodDelete:
		return "APP.DELETE", object(nil).text("app_id", id).end(), nil
	case http.MethodPut:
		sent, clientID, refused := g.read(w, r)
		if refused == nil && clientID != id {
			refused = errOtherSelf
		}
		if refused != nil {
			return "APP.UPDATE", nil, refused
		}
		params, refused = encoded(sent.update(id))
		return "APP.UPDATE", params, refused
	}
	return "APP.GET", object(nil).text("slug", id).end(), nil
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
		{"id_token_signed_response_alg", "id_token_signed_response_alg", `"ES256"`},
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
