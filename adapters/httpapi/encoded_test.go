package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse.internal/adapters/httpapi"
	"gatehouse.internal/domain/fault"
)

// Percent-encoded variants of a path are other paths, at which there is nothing.
func TestEncodedPathsAreUnknown(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	server := bench(app)
	server.Discovery = &published{issuer: "https://id.example.com", keys: `{"keys":[]}`, origins: []string{"https://app.example.com"}}
	server.Metrics = httpapi.Metrics{Page: measured(), Open: true}
	server.SitePaths = []string{"/login"}
	server.Site = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, r.URL.Path)
	})
	handler := start(t, server)
	for _, path := range []string{
		"/api/v1/execute", "/api/v1/commands", "/api/v1/events", "/api/m2m/token", "/api/m2m/introspect",
		"/oauth/token", "/oauth/introspect", "/oauth/revoke", "/oauth/par", "/oauth/userinfo", "/oauth/device_authorization", "/oauth/register",
		"/ofrep/v1/evaluate/flags", "/.well-known/jwks.json", "/.well-known/openid-configuration", "/health", "/metrics", "/login",
	} {
		for _, variant := range variants(path) {
			for _, method := range []string{http.MethodGet, http.MethodPost} {
				r := httptest.NewRequest(method, variant, strings.NewReader(`{"command":"USER.ME"}`))
				r.Header.Set("Content-Type", "application/json")
				r.Header.Set("Origin", "https://elsewhere.example.com")
				w := do(handler, r)
				refusedAs(t, w, http.StatusNotFound, fault.NotFound)
				if w.Header().Get("Access-Control-Allow-Origin") != "" {
					t.Errorf("%s is open to pages of other origins", variant)
				}
			}
			// A browser gets the site's page for an unknown path.
			w := do(handler, get(variant, "Accept", "text/html"))
			if w.Code != http.StatusNotFound || w.Body.String() != variant {
				t.Errorf("%s in a browser = %d %s", variant, w.Code, w.Body)
			}
		}
	}
	if app.calls() != 0 {
		t.Errorf("%d commands were executed", app.calls())
	}
}

// variants returns forms of a path with one character encoded, and with all.
func variants(path string) []string {
	var whole strings.Builder
	encoded := make([]string, 0, len(path))
	for i := range len(path) {
		one := fmt.Sprintf("%%%02X", path[i])
		whole.WriteString(one)
		if i > 0 {
			encoded = append(encoded, path[:i]+one+path[i+1:], path[:i]+strings.ToLower(one)+path[i+1:])
		}
	}
	return append(encoded, "/"+strings.TrimPrefix(whole.String(), "%2F"))
}
