package machines_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// Editors and agents register themselves with a scheme of their own, or with a port on
// this machine that they choose for each sign-in, and people are told so.
func TestAgentsRedirectToTheDevice(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		registration(h, "open")
		ada := h.SignUp("ada@example.com")
		const scheme, loopback = "cursor://anysphere.cursor-mcp/oauth/callback", "http://localhost/callback"
		public := P{"token_endpoint_auth_method": "none", "redirect_uris": []string{scheme, loopback, "https://editor.example/callback"}}
		made := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(public)).OK()
		id, token := made.String("client_id"), made.String("registration_access_token")
		for sent, shown := range map[string]string{scheme: scheme, "http://localhost:51004/callback": "http://localhost:51004/callback", "https://editor.example/callback": ""} {
			opened := ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": id, "redirect_uri": sent, "scope": "openid", "prompt": "consent"})).OK()
			if got, _ := opened.Data["client"].(map[string]any)["on_device"].(string); got != shown {
				t.Errorf("%s: people are shown %q", sent, got)
			}
			decided := ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true}).OK()
			if to := decided.String("redirect_to"); !strings.HasPrefix(to, sent+"?") {
				t.Errorf("%s: the answer goes to %s", sent, to)
			}
		}
		for _, address := range []string{"javascript://x/%0aalert(1)", "intent://x", "ms-settings://x", "cursor:x", "http://localhost:0/cb"} {
			public["redirect_uris"] = []string{address}
			h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(public)).Fails(fault.Validation).Field("/redirect_uris/0")
			if status, refused := sent(h, http.MethodPut, id, token, described(P{"client_id": id, "redirect_uris": []string{address}})); status != http.StatusBadRequest || refused["error"] != "invalid_redirect_uri" {
				t.Errorf("%s, changed: %d %v", address, status, refused)
			}
		}
		confidential := described(P{"redirect_uris": []string{scheme}})
		h.Anonymous().Do("OAUTH.CLIENT_REGISTER", confidential).Fails(fault.Validation).Field("/redirect_uris/0")
		ada.Do("APP.REGISTER", P{"name": "Editor", "slug": "editor", "type": "native", "redirect_urls": []string{scheme}}).Fails(fault.Validation).Field("/redirect_urls/0")
	})
}

// In development, what apps publish may be on this machine, without TLS; elsewhere it
// must be reachable from the internet.
func TestAppsPublishOnThisMachine(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		by := &signer{Holder: h.Holder(), h: h}
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_ = json.NewEncoder(w).Encode(P{"keys": []P{by.JWK()}})
		}))
		t.Cleanup(site.Close)
		ada := h.SignUp("ada@example.com")
		id, _ := appRegister(ada, "worker", nil)
		keys := strings.Replace(site.URL, "127.0.0.1", "localhost", 1) + "/jwks"
		ada.Do("APP.SET_JWKS", P{"app_id": id, "jwks_uri": keys}).OK()
		asserting(h, "worker", by.assertion(P{"iss": "worker", "sub": "worker"})).OK()
		ada.Do("APP.UPDATE", P{"app_id": id, "jwks_uri": site.URL, "backchannel_logout_uri": site.URL}).OK()

		const local = "http://localhost:3000/client.json"
		documents(h, true)
		h.Web.Publish(t, local, document(P{"client_id": local}), time.Hour)
		ada = h.Login("ada@example.com", harness.Password)
		opened := ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": local, "scope": "openid"})).OK()
		if opened.String("client.client_id") != local {
			t.Errorf("the person is shown %v", opened.Data)
		}
		ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": "http://agent.example/client.json"})).Fails(fault.NotFound)
	})
	production := harness.InProduction(t, harness.SQLite(t))
	documents(production, true)
	root := production.Superadmin()
	id, _ := appRegister(root, "worker", nil)
	for _, address := range []string{"http://localhost:3000/jwks", "http://127.0.0.1/jwks", "https://localhost/jwks"} {
		root.Do("APP.SET_JWKS", P{"app_id": id, "jwks_uri": address}).Fails(fault.Validation).Field("/jwks_uri")
		root.Do("APP.UPDATE", P{"app_id": id, "backchannel_logout_uri": address}).Fails(fault.Validation).Field("/backchannel_logout_uri")
		production.Web.Publish(t, address, document(P{"client_id": address}), time.Hour)
		root.Do("OAUTH.AUTHORIZE", request(P{"client_id": address})).Fails(fault.NotFound)
	}
	if production.Web.Fetches() != 0 {
		t.Error("an address on this machine was fetched")
	}
}
