package httpapi_test

import (
	"io"
	"net/http"
	"testing"
)

// underPath is a service whose public address has a path, with a page that refers to others.
func underPath(t *testing.T, app *scripted) http.Handler {
	t.Helper()
	server := bench(app)
	server.Discovery = &published{issuer: "https://example.com/auth"}
	server.SitePaths = []string{"/account"}
	server.Site = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if to := r.URL.Query().Get("to"); to != "" {
			http.Redirect(w, r, to, http.StatusSeeOther)
			return
		}
		if r.Header.Get("Accept-Encoding") != "" {
			t.Error("a page may be compressed before it is put together")
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, `<html data-root="/"><a href="/account/keys?x=/y">`+r.URL.Path+` href=&#34;/text&#34;</a><a href="//other.example"><a href="https://x/y"><form action="/"><img src="/assets/a.png" alt="/no"><b data-copy="/no">`)
	})
	return start(t, server)
}

func TestAPathOfTheAddress(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	handler := underPath(t, app)
	page := func(path string) string {
		return `<html data-root="/auth/"><a href="/auth/account/keys?x=/y">` + path + ` href=&#34;/text&#34;</a><a href="//other.example"><a href="https://x/y"><form action="/auth/"><img src="/auth/assets/a.png" alt="/no"><b data-copy="/no">`
	}
	for path, want := range map[string]string{
		"/auth/account": page("/account"), "/account": page("/account"), "/auth/account/a%2Fb": page("/account/a%2Fb"), "/account/auth": page("/account/auth"),
	} {
		if got := do(handler, get(path, "Accept-Encoding", "gzip")); got.Code != http.StatusOK || got.Body.String() != want {
			t.Errorf("GET %s = %d %s, want %s", path, got.Code, got.Body, want)
		}
	}
	for path, want := range map[string]string{
		"/auth/account?to=/login": "/auth/login", "/account?to=/login?next=%2Faccount": "/auth/login?next=/account",
		"/auth/account?to=https://app.example.com/cb": "https://app.example.com/cb", "/auth/account?to=//other.example/x": "//other.example/x",
	} {
		if got := do(handler, get(path)); got.Code != http.StatusSeeOther || got.Header().Get("Location") != want {
			t.Errorf("GET %s = %d to %q, want %q", path, got.Code, got.Header().Get("Location"), want)
		}
	}
	for path, want := range map[string]int{
		"/auth": http.StatusNotFound, "/author/account": http.StatusNotFound, "/auth/auth/account": http.StatusNotFound, "/other/account": http.StatusNotFound,
		"/auth/health": http.StatusOK, "/auth/.well-known/openid-configuration": http.StatusOK, "/.well-known/openid-configuration": http.StatusOK,
		"/.well-known/openid-configuration/auth": http.StatusOK, "/.well-known/oauth-authorization-server/auth": http.StatusOK,
		"/.well-known/oauth-authorization-server/other":             http.StatusNotFound,
		"/.well-known/oauth-protected-resource/auth/api/v1/execute": http.StatusOK,
	} {
		if got := do(handler, get(path)); got.Code != want {
			t.Errorf("GET %s = %d, want %d", path, got.Code, want)
		}
	}
}

// Proofs name the address of the call as the client knows it, which is the path behind that of
// the public address.
func TestCallsKnowTheirPath(t *testing.T) {
	t.Parallel()
	app := &scripted{}
	handler := underPath(t, app)
	for _, path := range []string{"/auth/api/v1/execute", "/api/v1/execute"} {
		call := post(`{"command":"USER.ME","params":{}}`)
		call.URL.Path = path
		do(handler, call)
		if got := app.last(t).Path; got != "/api/v1/execute" {
			t.Errorf("a call of %s has the path %s", path, got)
		}
	}
}
