package httpapi

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

// clientCredentials is the grant type of RFC 6749 section 4.4.
const clientCredentials = "client_credentials"

// Errors of token requests (RFC 6749 section 5.2).
var (
	errNoGrant    = fault.New(fault.Validation, "invalid_request: grant_type is missing")
	errNoClient   = fault.New(fault.Auth, "invalid_client: client authentication is missing: send client_id and client_secret (HTTP Basic or form), or a client_assertion")
	errBasic      = fault.New(fault.Auth, "invalid_client: malformed Authorization header: send Basic <base64 of client_id:client_secret, both form-urlencoded>")
	errTwoMethods = fault.New(fault.Validation, "invalid_request: send only one of HTTP Basic, client_secret and client_assertion")
	errTwoClients = fault.New(fault.Validation, "invalid_request: client_id does not match the Authorization header")
)

// grant handles the client credentials grant (RFC 6749 section 4.4). Extension
// parameters have the names of M2M.TOKEN; they are passed on, because a client that
// asks for a bound or short-lived token must not silently get another one.
type grant struct{}

func (grant) request(sent form, to *inbound.Request) *fault.Error {
	client, refused := clientOf(sent, to.Authorization)
	if refused != nil {
		return refused
	}
	to.Authorization = ""
	to.Params = object(nil).
		text("client_id", client.id).
		text("client_secret", client.secret).
		text("client_assertion", sent["client_assertion"]).
		text("client_assertion_type", sent["client_assertion_type"]).
		texts("scopes", scopesOf(sent["scope"])).
		text("audience", sent["audience"]).
		text("resource", sent["resource"]).
		number("ttl_seconds", sent["ttl_seconds"]).
		text("dpop_binding", sent["dpop_binding"]).
		end()
	return nil
}

// mostScopes is the maximum number of scopes to parse. Commands accept fewer, so they
// reject a longer list with an error.
const mostScopes = 1000

// scopesOf splits a space-separated list of scopes (RFC 6749 section 3.3).
func scopesOf(scope string) []string {
	var scopes []string
	for one := range strings.SplitSeq(scope, " ") {
		if len(scopes) == mostScopes {
			break
		}
		if one != "" {
			scopes = append(scopes, one)
		}
	}
	return scopes
}

// methodOf returns how a client authenticates.
func methodOf(sent form, authorization string) app.AuthMethod {
	switch {
	case authorization != "":
		return app.AuthBasic
	case sent["client_secret"] != "":
		return app.AuthPost
	case sent["client_assertion"] != "":
		return app.AuthSigned
	}
	return app.AuthNone
}

// client is a client's credentials.
type client struct{ id, secret string }

// clientOf returns the client and its secret. A client may use one method to
// authenticate (RFC 6749 section 2.3): HTTP Basic, a secret in the form, or an
// assertion (RFC 7521 section 4.2).
func clientOf(sent form, authorization string) (client, *fault.Error) {
	secret, assertion := sent["client_secret"], sent["client_assertion"]
	if authorization != "" {
		if secret != "" || assertion != "" {
			return client{}, errTwoMethods
		}
		basic, ok := basicClient(authorization)
		if !ok {
			return client{}, errBasic
		}
		if id := sent["client_id"]; id != "" && id != basic.id {
			return client{}, errTwoClients
		}
		return basic, nil
	}
	if secret != "" && assertion != "" {
		return client{}, errTwoMethods
	}
	found := client{id: sent["client_id"], secret: secret}
	if found.id == "" {
		found.id = app.Asserted(assertion)
	}
	if found.id == "" {
		return client{}, errNoClient
	}
	return found, nil
}

// basicClient parses HTTP Basic credentials, which are also form-urlencoded (RFC 6749
// section 2.3.1).
func basicClient(authorization string) (client, bool) {
	scheme, coded, _ := strings.Cut(authorization, " ")
	if !strings.EqualFold(scheme, "Basic") {
		return client{}, false
	}
	plain, err := base64.StdEncoding.Strict().DecodeString(strings.TrimLeft(coded, " "))
	if err != nil {
		return client{}, false
	}
	name, password, split := strings.Cut(string(plain), ":")
	id, badID := url.QueryUnescape(name)
	secret, badSecret := url.QueryUnescape(password)
	if !split || badID != nil || badSecret != nil || id == "" || !utf8.ValidString(id) || !utf8.ValidString(secret) {
		return client{}, false
	}
	return client{id: id, secret: secret}, true
}

func (grant) refusal(failure *fault.Error, word string) (status int, said string, ok bool) {
	if word == "" {
		word = grantError(failure)
	}
	if word == "invalid_client" {
		return http.StatusUnauthorized, word, true
	}
	return http.StatusBadRequest, word, true
}

// grantError returns the OAuth error code of a failure whose message has none.
func grantError(failure *fault.Error) string {
	switch failure.Code {
	case fault.Auth:
		return "invalid_client"
	case fault.Denied, fault.FlowBlocked:
		return "access_denied"
	default:
		return fieldError(failure.Fields)
	}
}

// fieldError returns the OAuth error code for the first invalid parameter. An
// invalid client_id is that of an unknown client.
func fieldError(complaints []fault.Field) string {
	if len(complaints) == 0 {
		return "invalid_request"
	}
	name, _, _ := strings.Cut(strings.TrimPrefix(complaints[0].Path, "/"), "/")
	switch name {
	case "client_id", "client_secret", "client_assertion", "client_assertion_type":
		return "invalid_client"
	case "scopes":
		return "invalid_scope"
	case "audience", "resource":
		return "invalid_target"
	default:
		return "invalid_request"
	}
}

// challenges returns an HTTP Basic challenge, also to a client that used another
// method: every 401 has a challenge (RFC 9110 section 15.5.2).
func (grant) challenges(_ http.Header, status int, _ *fault.Error) []string {
	if status != http.StatusUnauthorized {
		return nil
	}
	return []string{`Basic realm="gatehouse", charset="UTF-8"`}
}
