package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const clientPage = "https://app.example.com"

// crossing returns the CORS headers of a request from a page, and of its preflight.
func crossing(handler http.Handler, r *http.Request, origin string) (before, after http.Header) {
	flight := httptest.NewRequest(http.MethodOptions, r.URL.Path, http.NoBody)
	flight.Header.Set("Access-Control-Request-Method", r.Method)
	for _, one := range []*http.Request{flight, r} {
		if origin != "" {
			one.Header.Set("Origin", origin)
		}
	}
	return do(handler, flight).Header(), do(handler, r).Header()
}

const allowOrigin = "Access-Control-Allow-Origin"

// Pages of registered clients may call the endpoints that clients need, and no others.
func TestCORSOfClients(t *testing.T) {
	t.Parallel()
	server := bench(&scripted{})
	server.Discovery = &published{clients: []string{clientPage}}
	handler := start(t, server)
	for path, open := range map[string]bool{
		"/oauth/token": true, "/oauth/userinfo": true, "/oauth/revoke": true,
		"/api/v1/execute": false, "/oauth/introspect": false, "/oauth/register": false, "/oauth/par": false, "/api/m2m/token": false,
		"/oauth/authorize": false, "/oauth/token/": false, "//oauth/token": false, "/health": false, "/mcp": false,
	} {
		for _, origin := range []string{clientPage, "https://evil.test", "null"} {
			want := ""
			if open && origin == clientPage {
				want = clientPage
			}
			before, after := crossing(handler, httptest.NewRequest(http.MethodPost, path, http.NoBody), origin)
			for _, header := range []http.Header{before, after} {
				if header.Get(allowOrigin) != want || header.Get("Access-Control-Allow-Credentials") != "" || header.Get("Vary") == "" {
					t.Errorf("%s from %s: %v", path, origin, header)
				}
			}
		}
	}
}

// Metadata and keys are open to every page, whatever is set.
func TestCORSOfMetadata(t *testing.T) {
	t.Parallel()
	server := bench(&scripted{})
	server.Discovery = &published{origins: []string{clientPage}}
	handler := start(t, server)
	for _, path := range []string{
		"/.well-known/jwks.json", "/.well-known/openid-configuration", "/.well-known/oauth-authorization-server",
		"/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/api/v1/execute",
	} {
		for _, origin := range []string{"", "null", "http://localhost:6274", clientPage} {
			before, after := crossing(handler, get(path), origin)
			if after.Get(allowOrigin) != "*" || before.Get(allowOrigin) != "*" || after.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("%s from %q: %v, %v", path, origin, before, after)
			}
		}
	}
	if _, after := crossing(handler, get("/api/v1/commands"), "https://evil.test"); after.Get(allowOrigin) != "" {
		t.Error("the catalog is open to every page")
	}
}

// Where anyone may bring a client along, any page may register one and redeem its
// codes, but reads no token that a client got by a secret.
func TestCORSOfStrangers(t *testing.T) {
	t.Parallel()
	const page = "http://localhost:6274"
	server := bench(&scripted{})
	found := &published{strangers: true}
	server.Discovery = found
	open := start(t, server)
	server = bench(&scripted{})
	server.Discovery = &published{registers: true}
	closed := start(t, server)
	for path, methods := range map[string]string{"/mcp": "POST", "/oauth/register": "PUT, DELETE", "/oauth/register/0193c1a2": "PUT, DELETE", "/oauth/token": "POST"} {
		r := formTo(path, "grant_type=authorization_code&client_id=a&code=b")
		before, after := crossing(open, r, page)
		if before.Get(allowOrigin) != "*" || after.Get(allowOrigin) != "*" || !strings.Contains(before.Get("Access-Control-Allow-Methods"), methods) ||
			!strings.Contains(before.Get("Access-Control-Allow-Headers"), "MCP-Protocol-Version, Mcp-Session-Id") || !strings.Contains(after.Get("Access-Control-Expose-Headers"), "Mcp-Session-Id") {
			t.Errorf("%s: %v, %v", path, before, after)
		}
		before, after = crossing(closed, formTo(path, "grant_type=authorization_code&client_id=a&code=b"), page)
		if before.Get(allowOrigin)+after.Get(allowOrigin) != "" {
			t.Errorf("%s, where nobody comes unregistered: %v, %v", path, before, after)
		}
	}
	for what, r := range map[string]*http.Request{
		"a secret":      formTo("/oauth/token", "grant_type=client_credentials&client_id=a&client_secret=b"),
		"an assertion":  formTo("/oauth/token", "grant_type=client_credentials&client_assertion=b"),
		"HTTP Basic":    formTo("/oauth/token", "grant_type=client_credentials", "Authorization", "Basic YTpi"),
		"a JSON body":   sendTo("/oauth/token", `{"grant_type":"authorization_code","client_id":"a","client_secret":"b"}`),
		"a broken form": formTo("/oauth/token", "client_id=%zz"),
		"another path":  formTo("/api/m2m/token", "grant_type=client_credentials&client_id=a"),
		"commands":      post(`{"command":"A.B"}`),
	} {
		if _, after := crossing(open, r, page); after.Get(allowOrigin) != "" {
			t.Errorf("%s: %v", what, after)
		}
	}
	found.clients = []string{page}
	if _, after := crossing(open, formTo("/oauth/token", "grant_type=client_credentials&client_id=a&client_secret=b"), page); after.Get(allowOrigin) != page {
		t.Errorf("a registered origin: %v", after)
	}
}
