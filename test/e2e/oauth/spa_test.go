package oauth_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gatehouse.internal/test/e2e/browser"
	"gatehouse.internal/test/e2e/instance"
)

// TestBrowserClient logs somebody in to an application in Chromium by oidc-client-ts, renews
// their tokens without a page, and signs them out.
func TestBrowserClient(t *testing.T) {
	directory := browser.Installed(t)
	instance.OnIts(t, instance.SQLite(), func(t *testing.T, on instance.Store) {
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
		at := browser.House(t, on)
		issuer = at.URL
		w, p := browser.NewTab(t, at), instance.Newcomer()
		w.Register(p)
		at.As(at.Again(p), "APP.REGISTER", P{
			"name": "Wiki", "slug": "spa", "type": "spa", "redirect_urls": []string{app.URL + "/callback"}, "logout_urls": []string{app.URL + "/left"},
		})
		w.Open(app.URL + "/").Sees("wants to").Press("Allow").Sees(p.Email + " is in the wiki, and was renewed")
		w.Press("Leave the wiki").Sees("You have left the wiki")
		w.Open(app.URL + "/").Sees("Sign in")
	})
}
