package openapi

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gatehouse.internal/ports/inbound"
)

const protocolTag = "Protocols"

// endpoint is a path that a specification defines.
type endpoint struct {
	path, method, id, summary string
	// command is what the endpoint executes; it is listed only together with it.
	command string
	// form are the parameters of a form, required ones first and marked by a star.
	form []string
	// query are the parameters of the address.
	query []string
	// json reports whether the body is JSON.
	json bool
	// client reports whether an OAuth client authenticates; token whether a bearer token is sent.
	client, token bool
	// status of success.
	status int
}

// endpoints returns the paths beside those of commands.
func endpoints() []endpoint {
	client := []string{"client_id", "client_secret", "client_assertion", "client_assertion_type"}
	with := func(names ...string) []string { return append(names, client...) }
	const post, get = http.MethodPost, http.MethodGet
	return []endpoint{
		{path: pathExecute, method: post, id: "execute", summary: "Execute the command that the body names", json: true, token: true},
		{path: "/api/v1/commands", method: get, id: "listCommands", summary: "List all commands with their schemas", query: []string{"family"}},
		{path: "/api/v1/commands/{name}", method: get, id: "getCommand", summary: "Describe one command"},
		{path: "/api/v1/events", method: get, id: "listEventKinds", summary: "List all kinds of events with their schemas"},
		{path: "/api/v1/events/{kind}", method: get, id: "getEventKind", summary: "Describe one kind of events"},
		{path: "/api/v1/openapi.json", method: get, id: "getOpenAPI", summary: "Get this document", query: []string{"family"}},
		{path: "/api/v1/schemas.json", method: get, id: "getSchemas", summary: "Get all JSON Schemas as one bundle"},
		{path: "/health", method: get, id: "getHealth", summary: "Report whether the instance is ready, or alive with check=live", query: []string{"check"}},
		{path: "/.well-known/openid-configuration", method: get, id: "getConfiguration", summary: "Get the provider metadata (OpenID Connect Discovery 1.0)"},
		{path: "/.well-known/oauth-authorization-server", method: get, id: "getServerMetadata", summary: "Get the authorization server metadata (RFC 8414)"},
		{path: "/.well-known/oauth-protected-resource", method: get, id: "getResourceMetadata", summary: "Get the protected resource metadata (RFC 9728)"},
		{path: "/.well-known/jwks.json", method: get, id: "getKeys", summary: "Get the public keys of tokens (RFC 7517)"},
		{
			path: "/oauth/authorize", method: get, id: "authorize", summary: "Begin a sign-in in the browser (RFC 6749, section 4.1)", command: "OAUTH.TOKEN", status: http.StatusFound,
			query: []string{
				"client_id*", "response_type", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method", "prompt", "max_age", "login_hint",
				"ui_locales", "acr_values", "claims", "resource", "response_mode", "request", "request_uri",
			},
		},
		{
			path: "/oauth/par", method: post, id: "pushAuthorizationRequest", summary: "Push an authorization request (RFC 9126)", command: "OAUTH.REQUEST_PUSH", client: true, status: http.StatusCreated,
			form: with("response_type*", "redirect_uri", "scope", "state", "nonce", "code_challenge", "code_challenge_method", "request"),
		},
		{
			path: "/oauth/token", method: post, id: "requestToken", summary: "Exchange a grant for tokens (RFC 6749, section 3.2)", command: "OAUTH.TOKEN", client: true,
			form: with("grant_type*", "code", "redirect_uri", "code_verifier", "refresh_token", "device_code", "scope", "resource", "audience",
				"subject_token", "subject_token_type", "actor_token", "actor_token_type", "requested_token_type"),
		},
		{
			path: "/oauth/device_authorization", method: post, id: "startDevice", summary: "Begin a sign-in on another device (RFC 8628)", command: "OAUTH.DEVICE_START", client: true,
			form: with("scope", "resource"),
		},
		{path: "/oauth/introspect", method: post, id: "introspectToken", summary: "Describe a token (RFC 7662)", command: "OAUTH.INTROSPECT", client: true, form: with("token*", "token_type_hint")},
		{path: "/oauth/revoke", method: post, id: "revokeToken", summary: "Revoke a token of the client (RFC 7009)", command: "OAUTH.REVOKE", client: true, form: with("token*", "token_type_hint")},
		{path: "/oauth/userinfo", method: get, id: "getUserInfo", summary: "Get the claims about the signed-in person (OpenID Connect Core 1.0, section 5.3)", command: "OAUTH.USERINFO", token: true},
		{
			path: "/oauth/end_session", method: get, id: "endSession", summary: "Sign out in the browser (OpenID Connect RP-Initiated Logout 1.0)", command: "OAUTH.TOKEN",
			query: []string{"id_token_hint", "client_id", "post_logout_redirect_uri", "state", "logout_hint"}, status: http.StatusFound,
		},
		{path: "/oauth/register", method: post, id: "registerClient", summary: "Register a client (RFC 7591)", command: "OAUTH.CLIENT_REGISTER", json: true, status: http.StatusCreated},
		{path: "/ofrep/v1/evaluate/flags", method: post, id: "evaluateFlags", summary: "Evaluate all feature flags (OpenFeature Remote Evaluation Protocol)", command: "FEATURE.EVALUATE", json: true, token: true},
		{path: "/ofrep/v1/evaluate/flags/{key}", method: post, id: "evaluateFlag", summary: "Evaluate one feature flag (OpenFeature Remote Evaluation Protocol)", command: "FEATURE.EVALUATE", json: true, token: true},
	}
}

// protocols returns the paths of the endpoints whose commands are described.
func protocols(commands []inbound.Descriptor) object {
	paths := object{}
	for _, e := range endpoints() {
		listed := slices.ContainsFunc(commands, func(d inbound.Descriptor) bool { return d.Name == e.command })
		if e.command == "" || listed {
			paths[e.path] = object{strings.ToLower(e.method): e.operation()}
		}
	}
	return paths
}

func (e endpoint) operation() object {
	described := object{
		"operationId": e.id, "tags": []string{protocolTag}, "summary": e.summary, "security": e.security(), "parameters": e.parameters(),
		"responses": e.responses(),
	}
	switch {
	case e.json:
		described["requestBody"] = object{"required": true, "content": object{"application/json": object{"schema": object{"type": "object"}}}}
	case e.form != nil:
		properties, required := object{}, []string{}
		for _, field := range e.form {
			name, needed := strings.CutSuffix(field, "*")
			properties[name] = object{"type": "string"}
			if needed {
				required = append(required, name)
			}
		}
		described["requestBody"] = object{"required": true, "content": object{
			"application/x-www-form-urlencoded": object{"schema": object{"type": "object", "properties": properties, "required": required}},
		}}
	}
	return described
}

func (e endpoint) security() []object {
	switch {
	case e.client:
		return []object{{}, {"client": []string{}}}
	case e.token:
		return []object{{}, {"bearer": []string{}}, {"dpop": []string{}}}
	default:
		return []object{}
	}
}

// parameters returns the parameters in the path and in the query.
func (e endpoint) parameters() []object {
	found := []object{}
	for part := range strings.SplitSeq(e.path, "/") {
		if name, variable := strings.CutPrefix(part, "{"); variable {
			found = append(found, object{"name": strings.TrimSuffix(name, "}"), "in": "path", "required": true, "schema": object{"type": "string"}})
		}
	}
	for _, field := range e.query {
		name, needed := strings.CutSuffix(field, "*")
		found = append(found, object{"name": name, "in": "query", "required": needed, "schema": object{"type": "string"}})
	}
	return found
}

func (e endpoint) responses() object {
	status := e.status
	if status == 0 {
		status = http.StatusOK
	}
	ok := object{"description": http.StatusText(status)}
	if status != http.StatusFound {
		ok["content"] = object{"application/json": object{"schema": object{"type": "object"}}}
	}
	failed := object{"description": "Failure, in the form of the specification.", "content": object{"application/json": object{"schema": object{"type": "object"}}}}
	return object{strconv.Itoa(status): ok, "4XX": failed, "5XX": failed}
}
