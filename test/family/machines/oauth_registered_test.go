package machines_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/test/harness"
)

// sent sends a request about a client as RFC 7592 says, and returns the answer.
func sent(h *harness.Service, method, client, token string, body P) (status int, response P) {
	raw := ""
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			panic(err)
		}
		raw = string(encoded)
	}
	r := httptest.NewRequest(method, "/oauth/register/"+client, strings.NewReader(raw))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.Handler.ServeHTTP(w, r)
	_ = json.Unmarshal(w.Body.Bytes(), &response)
	return w.Code, response
}

// The token of a registration reaches that one client, until it is gone or disabled, and
// nothing else.
func TestRegistrationAccessTokens(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		registration(here, "open")
		confined(t, here)
		public := here.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"token_endpoint_auth_method": "none"})).OK()
		secretive := here.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"logo_uri": "https://wiki.example/logo"})).OK()
		for _, one := range []*harness.Reply{public, secretive} {
			id, token := one.String("client_id"), one.String("registration_access_token")
			status, response := sent(there, http.MethodGet, id, token, nil)
			if status != http.StatusOK || response["client_name"] != "Wiki" || response["registration_client_uri"] != one.String("registration_client_uri") {
				t.Errorf("read %d %v", status, response)
			}
			status, response = sent(there, http.MethodPut, id, token, described(P{"client_id": id, "client_name": "Other", "redirect_uris": []string{"https://other.example/cb"}}))
			if status != http.StatusOK || response["client_name"] != "Other" || response["logo_uri"] != nil {
				t.Errorf("replaced: %d %v", status, response)
			}
			other := public
			if one == public {
				other = secretive
			}
			for what, wrong := range map[string]string{
				"another's": other.String("registration_access_token"), "none": "", "an access token": here.Superadmin().AccessToken,
			} {
				if status, response := sent(there, http.MethodGet, id, wrong, nil); status != http.StatusUnauthorized || response["error"] != "invalid_token" {
					t.Errorf("%s: %d %v", what, status, response)
				}
			}
			here.With(token).Do("APP.GET", P{"slug": id}).Fails(fault.TokenInvalid)
			if status, response := sent(there, http.MethodPut, id, token, described(P{"client_id": id, "redirect_uris": []string{"http://a.example"}})); status != http.StatusBadRequest || response["error"] != "invalid_redirect_uri" {
				t.Errorf("a wrong address: %d %v", status, response)
			}
			if status, response := sent(there, http.MethodPut, id, token, described(P{"client_id": id, "grant_types": []string{"client_credentials"}})); status != http.StatusBadRequest || response["error"] != "invalid_client_metadata" {
				t.Errorf("a grant of its own: %d %v", status, response)
			}
			here.Superadmin().Do("APP.UPDATE", P{"app_id": id, "enabled": false}).OK()
			if status, _ := sent(there, http.MethodGet, id, token, nil); status != http.StatusUnauthorized {
				t.Errorf("of a disabled client: %d", status)
			}
			here.Superadmin().Do("APP.UPDATE", P{"app_id": id, "enabled": true}).OK()
			if status, _ := sent(there, http.MethodDelete, id, token, nil); status != http.StatusNoContent {
				t.Errorf("deleted: %d", status)
			}
			if status, _ := sent(here, http.MethodGet, id, token, nil); status != http.StatusUnauthorized {
				t.Errorf("of a client that is gone: %d", status)
			}
		}
	})
}

// What a client sends in place of its registration replaces what was there, and no secret of its own
// choice; with the registration end its codes, its tokens and the token of the registration,
// whoever ends it (RFC 7592 sections 2.2, 2.3 and 5).
func TestRegistrationsAreReplacedAndEnd(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		registration(here, "open")
		ada := here.SignUp("ada@example.com")
		for what, end := range map[string]func(id, token string){
			"by itself": func(id, token string) {
				if status, _ := sent(there, http.MethodDelete, id, token, nil); status != http.StatusNoContent {
					t.Errorf("deleted: %d", status)
				}
			},
			"by an administrator": func(id, _ string) { here.Superadmin().Do("APP.DELETE", P{"app_id": id}).OK() },
		} {
			made := here.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"grant_types": []string{"authorization_code", "refresh_token"}})).OK()
			id, token := made.String("client_id"), made.String("registration_access_token")
			app := oauthMachine{slug: id, secret: made.String("client_secret")}
			if got := made.String("registration_client_uri"); got != harness.Issuer+"/oauth/register/"+id || made.Int("client_secret_expires_at") != 0 {
				t.Errorf("registered: %v", made.Data)
			}
			status, response := sent(there, http.MethodPut, id, token, described(P{"client_id": id, "client_secret": "sk_live_chosen", "redirect_uris": []string{callback}, "grant_types": []string{"authorization_code", "refresh_token"}}))
			if addresses, _ := response["redirect_uris"].([]any); status != http.StatusOK || len(addresses) != 1 || addresses[0] != callback || response["client_id"] != id {
				t.Errorf("replaced: %d %v", status, response)
			}
			ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": id, "redirect_uri": "https://wiki.example/cb"})).Fails(fault.Validation)
			code := codeOf(t, ada, P{"client_id": id, "scope": "openid"})
			oauthMachine{slug: id, secret: "sk_live_chosen"}.redeem(here, code).Fails(fault.Auth)
			tokens := app.redeem(there, code).OK()
			unspent := codeOf(t, ada, P{"client_id": id, "scope": "openid"})

			end(id, token)
			if status, _ := sent(here, http.MethodGet, id, token, nil); status != http.StatusUnauthorized {
				t.Errorf("%s: the token of the registration is answered %d", what, status)
			}
			here.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
			app.refresh(there, tokens.String("refresh_token")).Fails(fault.Auth)
			app.redeem(here, unspent).Fails(fault.Auth)
			ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": id})).Fails(fault.NotFound)
		}
	})
}

// own registers a client by a key of ada's that may register apps, and returns what replaces it.
func own(t *testing.T, at *harness.Service, ada *harness.Actor, scopes []string, metadata P) (id string, replace func(at *harness.Service, more P) (int, P)) {
	t.Helper()
	key := at.With(ada.Do("API_KEY.CREATE", P{"name": "initial", "scopes": scopes}).OK().String("key"))
	made := key.Do("OAUTH.CLIENT_REGISTER", described(metadata)).OK()
	id = made.String("client_id")
	return id, func(at *harness.Service, more P) (int, P) {
		return sent(at, http.MethodPut, id, made.String("registration_access_token"), with(with(described(metadata), P{"client_id": id}), more))
	}
}

// A client replaces its keys by itself: the old one is refused from then on, on every replica, and
// one that signs is never left without (RFC 7592 section 2.2).
func TestRegisteredClientsRotateTheirKeys(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		registration(here, "authenticated")
		ada := here.SignUp("ada@example.com")
		set := func(by *signer) P { return P{"keys": []P{by.JWK()}} }
		before, after := &signer{Holder: here.Holder(), h: here}, &signer{Holder: here.Holder(), h: here, made: 1000}
		id, replace := own(t, here, ada, []string{"apps:write"}, P{"token_endpoint_auth_method": "private_key_jwt", "jwks": set(before), "grant_types": []string{"authorization_code", "client_credentials"}})
		taken := func(at *harness.Service, by *signer) *harness.Reply {
			return asserting(at, id, by.assertion(P{"iss": id, "sub": id}))
		}
		taken(there, before).OK()
		for what, wrong := range map[string]P{
			"no keys":       {"jwks": nil},
			"an empty set":  {"jwks": P{"keys": []P{}}},
			"in two ways":   {"jwks_uri": "https://wiki.example/jwks"},
			"from within":   {"jwks": nil, "jwks_uri": "https://10.0.0.1/jwks"},
			"a secret":      {"token_endpoint_auth_method": "client_secret_basic"},
			"a private key": {"jwks": P{"keys": []P{with(before.JWK(), P{"d": "AAAA"})}}},
		} {
			if status, refused := replace(there, wrong); status != http.StatusBadRequest || refused["error"] != "invalid_client_metadata" {
				t.Errorf("%s: %d %v", what, status, refused)
			}
		}
		taken(here, before).OK()
		if status, response := replace(there, P{"jwks": set(after)}); status != http.StatusOK || response["jwks"] == nil || response["token_endpoint_auth_method"] != "private_key_jwt" {
			t.Errorf("replaced: %d %v", status, response)
		}
		for _, at := range []*harness.Service{here, there} {
			taken(at, before).Fails(fault.Auth)
			taken(at, after).OK()
		}
		if got := here.Events(app.KindKeysSet); len(got) != 1 {
			t.Errorf("%d were told of new keys, want 1", len(got))
		}
		if status, response := replace(there, P{"jwks": nil, "jwks_uri": "https://wiki.example/jwks"}); status != http.StatusOK || response["jwks"] != nil || response["jwks_uri"] != "https://wiki.example/jwks" {
			t.Errorf("published: %d %v", status, response)
		}
		for _, method := range []string{"none", "client_secret_basic"} {
			_, replace := own(t, here, ada, []string{"apps:write"}, P{"token_endpoint_auth_method": method, "jwks": set(before)})
			if status, response := replace(there, P{"jwks": set(after)}); status != http.StatusOK || response["jwks"] == nil {
				t.Errorf("%s, replaced: %d %v", method, status, response)
			}
			if status, response := replace(there, P{"jwks": nil}); status != http.StatusOK || response["jwks"] != nil {
				t.Errorf("%s, taken away: %d %v", method, status, response)
			}
		}
	})
}

// A client says anew what it may ask for. It gets no permission by that which it did not have, and
// nothing that was taken back from it.
func TestRegisteredClientsReplaceTheirScopes(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		registration(h, "open")
		ada := h.SignUp("ada@example.com")
		id, replace := own(t, h, ada, []string{"apps:write", "audit:read"}, P{"scope": "openid audit:read stock:read"})
		scope := func(want any, scope any) {
			t.Helper()
			status, response := replace(h, P{"scope": scope})
			if want == "" {
				if status != http.StatusBadRequest || response["error"] != "invalid_client_metadata" {
					t.Errorf("asked for %v: %d %v", scope, status, response)
				}
			} else if status != http.StatusOK || response["scope"] != want {
				t.Errorf("asked for %v: %d %v, want %v", scope, status, response, want)
			}
		}
		scope("", "openid apps:write")
		scope("", "openid apps:*")
		scope("", "openid users:manage")
		scope("audit:read openid orders:read stock:read", "openid audit:read stock:read orders:read")
		ada.Do("APP.SCOPE_REVOKE", P{"app_id": id, "scopes": []string{"stock:read", "audit:read"}}).OK()
		scope("", "openid stock:read")
		scope("", "openid audit:read")
		scope("openid", "openid")
		scope(nil, nil)
		if found := ada.Do("APP.GET", P{"app_id": id}).OK(); found.Bool("app.scopes_listed") || len(found.Strings("app.scopes")) != 0 {
			t.Errorf("without scopes: %v", found.Data)
		}
		scope("", "openid stock:read")
		ada.Do("APP.SCOPE_GRANT", P{"app_id": id, "scopes": []string{"stock:read"}}).OK()
		scope("stock:read", "stock:read")

		made := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(nil)).OK()
		stranger := made.String("client_id")
		status, response := sent(h, http.MethodPut, stranger, made.String("registration_access_token"), described(P{"client_id": stranger, "scope": "openid apps:write"}))
		if status != http.StatusOK || response["scope"] != "openid" {
			t.Errorf("nobody vouches for it: %d %v", status, response)
		}
	})
}

// A client says where it is told of sessions that end, and reads it back; what it leaves out is
// taken away.
func TestRegistrationTakesBackchannelLogout(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		registration(h, "open")
		confined(t, h)
		const uri = "https://wiki.example/told"
		const wrong = "https://a:b@wiki.example/told"
		h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"backchannel_logout_uri": wrong})).Fails(fault.Validation).Field("/backchannel_logout_uri")
		made := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"backchannel_logout_uri": uri})).OK()
		id, token := made.String("client_id"), made.String("registration_access_token")
		_, read := sent(h, http.MethodGet, id, token, nil)
		for what, of := range map[string]P{"registered": made.Data, "read": read} {
			if of["backchannel_logout_uri"] != uri || of["backchannel_logout_session_required"] != true {
				t.Errorf("%s: %v", what, of)
			}
		}
		status, replaced := sent(h, http.MethodPut, id, token, described(P{"client_id": id, "backchannel_logout_uri": uri + "/other"}))
		if status != http.StatusOK || replaced["backchannel_logout_uri"] != uri+"/other" {
			t.Errorf("replaced: %d %v", status, replaced)
		}
		if status, left := sent(h, http.MethodPut, id, token, described(P{"client_id": id})); status != http.StatusOK || left["backchannel_logout_uri"] != nil {
			t.Errorf("taken away: %d %v", status, left)
		}
		if status, refused := sent(h, http.MethodPut, id, token, described(P{"client_id": id, "backchannel_logout_uri": wrong})); status != http.StatusBadRequest || refused["error"] != "invalid_client_metadata" {
			t.Errorf("a wrong address: %d %v", status, refused)
		}
	})
	production := harness.InProduction(t, harness.SQLite(t))
	registration(production, "open")
	production.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"backchannel_logout_uri": "https://127.0.0.1/told"})).Fails(fault.Validation).Field("/backchannel_logout_uri")
}

// Where as many clients registered themselves as there may be, the oldest goes that no person
// let in, and when people let all of them in, nobody registers any more.
func TestUnusedClientsMakeRoom(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, _ *harness.Service) {
		registration(here, "open")
		register := func() *harness.Reply {
			return here.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{"token_endpoint_auth_method": "none"}))
		}
		used, unused := register().OK().String("client_id"), register().OK().String("client_id")
		bob, root := here.SignUp("bob@example.com"), here.Superadmin()
		asked := bob.Do("OAUTH.AUTHORIZE", P{
			"client_id": used, "response_type": "code", "scope": "openid", "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM", "code_challenge_method": "S256",
		}).OK()
		bob.Do("OAUTH.CONSENT_DECIDE", P{"request_id": asked.String("request_id"), "approve": true}).OK()
		const others = `type, redirect_urls, logout_urls, grant_types, logo_url, policy_url, terms_url, enabled, access_ttl_seconds, refresh_ttl_days,
			token_exchange, scopes, scopes_listed, scopes_withdrawn, scopes_vouched, secrets, jwks, jwks_uri, rules, origin, registration, claims, created_at, updated_at, version`
		_, err := here.Store.Database().Write.ExecContext(t.Context(), `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 9998)
			INSERT INTO apps (id, org_id, slug, name, name_folded, description, `+others+`)
			SELECT 'ffffffff-0000-7000-8000-' || CAST(100000000000 + i AS TEXT), org_id, CAST(i AS TEXT), name, name_folded, description, `+others+`
			FROM apps, n WHERE slug = '`+unused+`'`)
		if err != nil {
			t.Fatal(err)
		}
		analyze(t, here)
		register().OK()
		root.Do("APP.GET", P{"slug": used}).OK()
		root.Do("APP.GET", P{"slug": unused}).Fails(fault.NotFound)
		root.Do("APP.REGISTER", P{"name": "Own", "slug": "own"}).OK()
		if _, err := here.Store.Database().Write.ExecContext(t.Context(), `INSERT INTO oauth_consents (user_id, app_id, org_id, scopes, granted_at, last_used_at, version)
			SELECT c.user_id, a.id, c.org_id, c.scopes, c.granted_at, c.last_used_at, 1 FROM oauth_consents c, apps a WHERE a.id <> c.app_id AND a.origin <> ''`); err != nil {
			t.Fatal(err)
		}
		analyze(t, here)
		register().Fails(fault.Denied)
	})
}

// confined tries to reach one client by the token of another.
func confined(t *testing.T, h *harness.Service) {
	t.Helper()
	one, other := h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(nil)).OK(), h.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(nil)).OK()
	by := h.Client(inbound.ClientCredentials{ID: one.String("client_id"), Registration: secret.New(one.String("registration_access_token"))})
	by.Do("APP.GET", P{"slug": one.String("client_id")}).OK()
	by.Do("APP.GET", P{"slug": other.String("client_id")}).Fails(fault.NotFound)
	by.Do("APP.UPDATE", P{"app_id": other.String("client_id"), "name": "Mine"}).Fails(fault.NotFound)
	by.Do("APP.DELETE", P{"app_id": other.String("client_id")}).Fails(fault.NotFound)
}

// analyze has the database know how many rows a test has inserted, as it finds out by itself in time.
func analyze(t *testing.T, h *harness.Service) {
	t.Helper()
	if _, err := h.Store.Database().Write.ExecContext(t.Context(), `ANALYZE`); err != nil {
		t.Fatal(err)
	}
}
