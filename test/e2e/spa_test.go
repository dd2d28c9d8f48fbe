package e2e_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBrowserClient logs somebody in to an application in Chromium by oidc-client-ts, renews
// their tokens without a page, and signs them out.
func TestBrowserClient(t *testing.T) {
	directory := installed(t)
	onIts(t, sqlite(), func(t *testing.T, on store) {
		page, err := os.ReadFile(filepath.Join(directory, "spa.html"))
		if err != nil {
			t.Fatal(err)
		}
		issuer := ""
		app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.Path {
			case "/oidc-client-ts.js":
				http.ServeFile(w, r, filepath.Join(directory, "node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js"))
			case "/", "/callback", "/left":
				_, _ = w.Write([]byte(strings.Replace(string(page), "ISSUER", issuer, 1)))
			default:
				w.WriteHeader(http.StatusNoContent)
			}
		}))
		t.Cleanup(app.Close)
		at := house(t, on)
		issuer = at.url
		w, p := newTab(t, at), newcomer()
		w.register(p)
		at.as(at.again(p), "APP.REGISTER", P{
			"name": "Wiki", "slug": "spa", "type": "spa", "redirect_urls": []string{app.URL + "/callback"}, "logout_urls": []string{app.URL + "/left"},
		})
		w.open(app.URL + "/").sees("wants to").press("Allow").sees(p.email + " is in the wiki, and was renewed")
		w.press("Leave the wiki").sees("You have left the wiki")
		w.open(app.URL + "/").sees("Sign in")
	})
}
