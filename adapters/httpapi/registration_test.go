package httpapi_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
)

func described(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

const (
	selfPath = "/oauth/register/0193c1a2-7b1e-7c3d-9a5f-0123456789ab"
	selfID   = `"client_id":"0193c1a2-7b1e-7c3d-9a5f-0123456789ab"`
)

// A client registers with JSON: unknown names are ignored, and omitted ones have
// defaults.
func TestClientsRegister(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, want, unsupported string }{
		"names":   {`{"client_name":"Wiki","redirect_uris":["https://a.test/cb"],"software_id":"x","contacts":[],"command":"X","dry_run":true}`, `{"client_name":"Wiki","redirect_uris":["https://a.test/cb"]}`, `,"unsupported_metadata":["command","contacts","dry_run","software_id"]`},
		"nothing": {`{}`, `{"client_name":"Unnamed application","redirect_uris":[]}`, ""},
		"nulls":   {`{"client_name":null,"redirect_uris":[],"scope":"","jwks":null,"software_id":"","client_id":"x"}`, `{"client_name":"Unnamed application","redirect_uris":[]}`, ""},
	} {
		app := issues(`{"client_id":"c"}`)
		r := described(http.MethodPost, "/oauth/register", c.body)
		r.Header.Set("Authorization", "Bearer initial")
		w := do(start(t, bench(app)), r)
		if w.Code != http.StatusCreated || w.Body.String() != `{"client_id":"c"`+c.unsupported+`}` || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s: answer = %d %s", name, w.Code, w.Body)
		}
		if got := app.last(t); got.Command != "OAUTH.CLIENT_REGISTER" || string(got.Params) != c.want || got.Authorization != "Bearer initial" || got.DryRun {
			t.Errorf("%s: request = %+v, params %s", name, got, got.Params)
		}
	}
	for name, body := range map[string]string{"no JSON": `{`, "a list": `[]`, "null": `null`, "twice": `{"scope":"a","scope":"b"}`, "empty": ``} {
		app := issues(`{}`)
		oauthRefused(t, do(start(t, bench(app)), described(http.MethodPost, "/oauth/register", body)), http.StatusBadRequest, "invalid_client_metadata", name)
		if app.calls() != 0 {
			t.Errorf("%s: the application was asked", name)
		}
	}
}

// Failures are returned as errors of RFC 7591 section 3.2.2 and RFC 7592 section 2.
func TestRegistrationFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		failure *fault.Error
		status  int
		word    string
	}{
		{fault.Unfit("/redirect_uris/0", "must be https"), http.StatusBadRequest, "invalid_redirect_uri"},
		{fault.Unfit("/redirect_urls/0", "must be https"), http.StatusBadRequest, "invalid_redirect_uri"},
		{fault.Unfit("/jwks", "is wrong"), http.StatusBadRequest, "invalid_client_metadata"},
		{fault.New(fault.Denied, "access_denied: off"), http.StatusForbidden, "access_denied"},
		{fault.New(fault.Denied, "insufficient_scope: no"), http.StatusForbidden, "insufficient_scope"},
		{fault.New(fault.Auth, "invalid_token: send one"), http.StatusUnauthorized, "invalid_token"},
		{fault.New(fault.NotFound, "no such app"), http.StatusUnauthorized, "invalid_token"},
		{fault.New(fault.RateLimited, "too many"), http.StatusTooManyRequests, "temporarily_unavailable"},
	} {
		r := described(http.MethodGet, selfPath, "")
		r.Header.Set("Authorization", "Bearer reg_1")
		w := do(start(t, bench(fails(c.failure))), r)
		oauthRefused(t, w, c.status, c.word, c.failure.Message)
		if challenged := w.Header().Get("Www-Authenticate") != ""; challenged != (c.status == http.StatusUnauthorized || c.word == "insufficient_scope" || c.word == "access_denied") {
			t.Errorf("%s: challenge %q", c.failure.Message, w.Header().Get("Www-Authenticate"))
		}
	}
}

// The registration access token allows reading, replacing and deleting the
// registration.
func TestRegisteredClients(t *testing.T) {
	t.Parallel()
	const stored = `{"app":{"slug":"0193c1a2-7b1e-7c3d-9a5f-0123456789ab","name":"Wiki","redirect_urls":["https://a.test/cb"],"logout_urls":[],` +
		`"grant_types":["authorization_code","device_code"],"token_endpoint_auth_method":"none","scopes":["a","openid"],"scopes_listed":true,"jwks_uri":"",` +
		`"subject_type":"public","created_at":"2026-11-21T10:00:00Z"},"secrets":[]}`
	for name, c := range map[string]struct{ method, body, command, want string }{
		"read": {http.MethodGet, "", "APP.GET", `{"slug":"0193c1a2-7b1e-7c3d-9a5f-0123456789ab"}`},
		"replace": {
			http.MethodPut, `{` + selfID + `,"client_name":"Other","redirect_uris":["https://b.test/cb"],"grant_types":["urn:ietf:params:oauth:grant-type:device_code"],"skip_consent":true,"enabled":true}`,
			"APP.UPDATE", `{"app_id":"0193c1a2-7b1e-7c3d-9a5f-0123456789ab","backchannel_logout_uri":"","dpop_bound_access_tokens":false,"grant_types":["device_code"],"id_token_signed_response_alg":"RS256","jwks_uri":"","logo_url":"","logout_urls":[],"name":"Other","policy_url":"","redirect_urls":["https://b.test/cb"],"require_par":false,"require_pkce":true,"scope":"","sector_identifier_uri":"","subject_type":"public","terms_url":""}`,
		},
		"end": {http.MethodDelete, "", "APP.DELETE", `{"app_id":"0193c1a2-7b1e-7c3d-9a5f-0123456789ab"}`},
	} {
		app := issues(stored)
		r := described(c.method, selfPath, c.body)
		r.Header.Set("Authorization", "Bearer reg_1")
		w := do(start(t, bench(app)), r)
		got := app.last(t)
		if got.Command != c.command || string(got.Params) != c.want || got.Authorization != "" || got.Client == nil || got.Client.Registration.Reveal() != "reg_1" || got.Client.ID == "" {
			t.Errorf("%s: request = %+v, params %s", name, got, got.Params)
		}
		if c.method == http.MethodDelete {
			if w.Code != http.StatusNoContent || w.Body.Len() != 0 {
				t.Errorf("%s: answer = %d %s", name, w.Code, w.Body)
			}
			continue
		}
		var answer map[string]any
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || w.Code != http.StatusOK {
			t.Fatalf("%s: answer = %d %s", name, w.Code, w.Body)
		}
		for member, want := range map[string]any{
			"client_id": "0193c1a2-7b1e-7c3d-9a5f-0123456789ab", "client_id_issued_at": float64(1795255200), "registration_access_token": "reg_1",
			"client_name": "Wiki", "scope": "a openid", "token_endpoint_auth_method": "none",
		} {
			if answer[member] != want {
				t.Errorf("%s: %s = %v, want %v", name, member, answer[member], want)
			}
		}
		if grants, _ := answer["grant_types"].([]any); len(grants) != 2 || grants[1] != "urn:ietf:params:oauth:grant-type:device_code" {
			t.Errorf("%s: grant_types = %v", name, answer["grant_types"])
		}
	}
	app := issues(stored)
	server := start(t, bench(app))
	oauthRefused(t, do(server, described(http.MethodGet, selfPath, "")), http.StatusUnauthorized, "invalid_token", "without a token")
	other := described(http.MethodPut, selfPath, `{"client_id":"another"}`)
	other.Header.Set("Authorization", "Bearer reg_1")
	oauthRefused(t, do(server, other), http.StatusBadRequest, "invalid_client_metadata", "another client")
	if app.calls() != 0 {
		t.Error("the application was asked")
	}
}

// Discovery contains the registration endpoint if registration is enabled.
func TestRegistrationIsPublished(t *testing.T) {
	t.Parallel()
	for _, on := range []bool{false, true} {
		server := bench(&scripted{reply: func(context.Context, inbound.Request) inbound.Reply { return inbound.Reply{} }})
		server.Discovery = &published{issuer: "https://id.test", registers: on}
		w := do(start(t, server), httptest.NewRequest(http.MethodGet, "/.well-known/oauth-authorization-server", nil))
		if got := strings.Contains(w.Body.String(), `"registration_endpoint":"https://id.test/oauth/register"`); got != on {
			t.Errorf("with %v: %s", on, w.Body)
		}
	}
}

// The protected resource metadata depends on the path it is requested for (RFC 9728
// section 3.3).
func TestProtectedResource(t *testing.T) {
	t.Parallel()
	server := start(t, bench(fails(fault.New(fault.Auth, "no"))))
	for path, method := range map[string]string{"": "", "/api/v1/execute": http.MethodPost, "/oauth/userinfo": http.MethodGet} {
		address := "http://localhost:8400/.well-known/oauth-protected-resource" + path
		if path != "" {
			r := described(method, path, `{"command":"A.B"}`)
			if method == http.MethodGet {
				r = described(method, path, "")
			}
			if got := do(server, r).Header().Get("WWW-Authenticate"); got != `Bearer realm="gatehouse", resource_metadata="`+address+`"` {
				t.Errorf("%s: challenge %q", path, got)
			}
		}
		var answer struct {
			Resource string   `json:"resource"`
			Servers  []string `json:"authorization_servers"`
		}
		w := do(server, httptest.NewRequest(http.MethodGet, address, nil))
		if err := json.Unmarshal(w.Body.Bytes(), &answer); err != nil || answer.Resource != "http://localhost:8400"+path || len(answer.Servers) != 1 || answer.Servers[0] != "http://localhost:8400" {
			t.Errorf("%s: %d %s", address, w.Code, w.Body)
		}
	}
}
