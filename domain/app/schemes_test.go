package app_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/oauth"
)

// Public clients that registered themselves may have a scheme without a dot, such as
// editors use, but none that runs code, opens files or reaches servers.
func TestSchemesWithoutADot(t *testing.T) {
	t.Parallel()
	fit := []string{"cursor://anysphere.cursor-mcp/oauth/callback", "vscode://dynamicauthprovider/redirect", "vscode-insiders://x", "web+app://x", "abc:///x", "com.example.app:/callback"}
	unfit := []string{
		"javascript://x/%0aalert(1)", "JavaScript://x/%0aalert(1)", "data://x", "vbscript://x", "file://x", "file:///etc/passwd", "blob://x", "about://x", "filesystem://x",
		"view-source://x", "ws://x", "wss://x", "ftp://x", "http://x", "https://", "mailto://x", "tel://x", "sms://x", "intent://x", "jar://x", "chrome://x",
		"chrome-extension://x", "edge://x", "edge-extension://x", "moz-extension://x", "ms-settings://x", "ms-word://x", "search-ms://x", "ldap://x", "ssh://x",
		"git://x", "smb://x", "git+ssh://x", "view-source+x+javascript://x", "ms-app.example://x", "cursor:", "cursor:x", "cursor:/x", "cursor://", "Cursor://x", "ab://x", "c_d://x", "cursor://u@x", "cursor://x#y", "cursor://*/x",
	}
	try := func(r app.Registration) error {
		_, err := app.Register(r, noon())
		return err
	}
	for what, r := range map[string]app.Registration{
		"by itself": {Type: app.Native, Origin: app.ByAnybody, Token: "token"}, "with an initial access token": {Type: app.Native, Token: "token"},
		"by a document": {Type: app.Native, Origin: app.ByDocument},
	} {
		for _, address := range fit {
			r.RedirectURLs = []string{address}
			if err := try(r); err != nil {
				t.Errorf("%s: %s: %v", what, address, err)
			}
		}
		for _, address := range unfit {
			r.RedirectURLs = []string{address}
			wantPath(t, try(r), "/redirect_urls/0")
		}
	}
	for what, r := range map[string]app.Registration{
		"native, by a workspace": {Type: app.Native}, "spa, by a workspace": {Type: app.SPA}, "confidential, by itself": {Type: app.Web, Origin: app.ByAnybody, Token: "token"},
	} {
		r.RedirectURLs = fit[:1]
		if err := try(r); err == nil || !strings.Contains(err.Error(), "https") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// Ports of loopback addresses are free for clients that open one for each sign-in.
func TestLoopbackPorts(t *testing.T) {
	t.Parallel()
	made := func(r app.Registration) app.Snapshot {
		one, err := app.Register(r, noon())
		if err != nil {
			t.Fatal(err)
		}
		return one.Snapshot()
	}
	addresses := []string{"http://localhost/cb", "http://127.0.0.1:7/cb", "http://[::1]/cb"}
	for what, c := range map[string]struct {
		of  app.Snapshot
		any bool
	}{
		"native":                  {made(app.Registration{Type: app.Native, RedirectURLs: addresses}), true},
		"public, by itself":       {made(app.Registration{Type: app.SPA, RedirectURLs: addresses, Origin: app.ByAnybody, Token: "token"}), true},
		"public, by a document":   {made(app.Registration{Type: app.SPA, RedirectURLs: addresses, Origin: app.ByDocument}), true},
		"spa":                     {made(app.Registration{Type: app.SPA, RedirectURLs: addresses}), false},
		"confidential, by itself": {made(app.Registration{Type: app.Web, RedirectURLs: addresses, Origin: app.ByAnybody, Token: "token"}), false},
	} {
		for _, address := range []string{"http://localhost:1/cb", "http://localhost:65535/cb", "http://127.0.0.1:33418/cb", "http://[::1]:8/cb"} {
			if _, ok := oauth.Redirectable(c.of, address); ok != c.any {
				t.Errorf("%s: %s: %t", what, address, ok)
			}
		}
		for _, address := range []string{
			"http://localhost:0/cb", "http://localhost:65536/cb", "http://localhost:/cb", "http://localhost:-1/cb", "http://localhost:8/other", "https://localhost:8/cb",
			"http://localhost.example.com:8/cb", "http://127.0.0.2:8/cb", "http://u@localhost:8/cb", "http://localhost:8/cb?x=1", "http://LOCALHOST:8/cb",
		} {
			if _, ok := oauth.Redirectable(c.of, address); ok {
				t.Errorf("%s: %s is taken", what, address)
			}
		}
	}
	for _, address := range []string{"http://localhost:0/cb", "http://localhost:65536/cb", "https://app.example.com:/cb", "https://app.example.com:99999/cb"} {
		_, err := app.Register(app.Registration{Type: app.Native, RedirectURLs: []string{address}}, noon())
		wantPath(t, err, "/redirect_urls/0")
	}
}
