package machines_test

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// Requirements of the standards that belong to no other test.

// A code that was asked for with dpop_jkt, and the refresh tokens of a public client, are of use to
// who holds the key alone (RFC 9449 sections 5 and 10).
func TestDPoPGrants(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		spa := oauthRegister(ada, "spa", P{"type": "spa", "redirect_urls": []string{callback}})
		holder, thief := h.Holder(), h.Holder()
		ask := func(by *harness.Holder, params P) (P, string) {
			proof := ""
			if by != nil {
				proof = by.Proof("POST", endpoint, "")
			}
			params["client_id"] = spa.slug
			reply := direct(t, h, "OAUTH.TOKEN", params, proof, "")
			if reply.Failure != nil {
				return nil, reply.Failure.Message
			}
			return decoded(t, reply), ""
		}
		code := func(more P) P {
			more["client_id"] = "spa"
			return P{"grant_type": "authorization_code", "code": codeOf(t, ada, more), "redirect_uri": callback, "code_verifier": verifier}
		}
		for word, by := range map[string]*harness.Holder{oauth.InvalidRequest: nil, "invalid_dpop_proof": thief} {
			if got, why := ask(by, code(P{"dpop_jkt": holder.Thumbprint()})); !strings.HasPrefix(why, word+":") {
				t.Errorf("a bound code without its key: %v, %s, want %s", got, why, word)
			}
		}
		tokens, why := ask(holder, code(P{"dpop_jkt": holder.Thumbprint(), "scope": "openid offline_access"}))
		if why != "" || tokens["token_type"] != "DPoP" || part(t, tokens["access_token"].(string), 1)["cnf"].(P)["jkt"] != holder.Thumbprint() {
			t.Fatalf("a bound code by its key: %v, %s", tokens, why)
		}
		for word, by := range map[string]*harness.Holder{oauth.InvalidRequest: nil, "invalid_dpop_proof": thief} {
			if got, why := ask(by, P{"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}); !strings.HasPrefix(why, word+":") {
				t.Errorf("a bound refresh token without its key: %v, %s, want %s", got, why, word)
			}
		}
		if next, why := ask(holder, P{"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}); why != "" || next["token_type"] != "DPoP" {
			t.Errorf("a bound refresh token by its key: %v, %s", next, why)
		}
	})
}

// A native app takes its answer on the loopback interface by any port, and nothing else varies (RFC
// 8252 section 7.3, RFC 9700 section 2.1).
func TestLoopbackPorts(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		oauthRegister(ada, "native", P{"type": "native", "redirect_urls": []string{"http://127.0.0.1/cb", "http://[::1]:8080/cb", "http://localhost/cb", "com.example.app:/cb"}})
		oauthRegister(ada, "site", P{"type": "web", "redirect_urls": []string{"http://127.0.0.1/cb"}})
		try := func(client, address string) bool {
			return ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": client, "redirect_uri": address, "scope": "openid"})).Failure == nil
		}
		for address, want := range map[string]bool{
			"http://127.0.0.1/cb": true, "http://127.0.0.1:51004/cb": true, "http://[::1]:9/cb": true, "http://[::1]/cb": true, "com.example.app:/cb": true,
			"http://127.0.0.1:51004/other": false, "http://127.0.0.1:51004/cb?x": false, "http://127.0.0.2:51004/cb": false, "http://localhost:51004/cb": true,
			"http://localhost:0/cb": false, "http://127.0.0.1:65536/cb": false,
			"https://127.0.0.1:51004/cb": false, "http://127.0.0.1:51004/cb#x": false, "http://a@127.0.0.1:51004/cb": false, "http://127.0.0.1:x/cb": false,
			"com.example.app:/other": false, "com.example.app://cb": false, "com.example.app.evil:/cb": false, "http://127.0.0.1.evil.example/cb": false,
		} {
			if got := try("native", address); got != want {
				t.Errorf("%s: %v, want %v", address, got, want)
			}
		}
		if try("site", "http://127.0.0.1:51004/cb") {
			t.Error("a site may name another port")
		}
	})
}

// A refresh token that nobody uses expires, and so does one that is used for too long (RFC 9700
// section 4.14.2).
func TestRefreshTokensExpire(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		ada.Do("APP.UPDATE", P{"app_id": app.id, "refresh_ttl_days": 2}).OK()
		idle := app.redeem(h, codeOf(t, ada, P{"scope": "openid offline_access"})).OK()
		used := app.redeem(h, codeOf(t, ada, P{"scope": "openid offline_access"})).OK()
		h.Clock.Advance(47 * time.Hour)
		used = app.refresh(h, used.String("refresh_token")).OK()
		h.Clock.Advance(time.Hour)
		refused(t, "one that was not used", app.refresh(h, idle.String("refresh_token")), "invalid_grant")
		refused(t, "one that was used for too long", app.refresh(h, used.String("refresh_token")), "invalid_grant")
	})
}

// No client is named as a person is (RFC 9700 section 4.15).
func TestSlugsAreNoPeople(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		ada.Do("APP.REGISTER", P{"name": "x", "slug": ada.UserID}).Fails(fault.Validation)
		ada.Do("APP.REGISTER", P{"name": "x", "slug": "gatehouse"}).Fails(fault.Validation)
		machine := oauthRegister(ada, "machine", P{"scopes": []string{"users:read"}}).ask(h, "", nil).OK().String("access_token")
		h.With(machine).Do("OAUTH.USERINFO", nil).Fails(fault.Denied)
		if sub := part(t, machine, 1)["sub"]; sub != "machine" {
			t.Errorf("sub = %v", sub)
		}
	})
}

// What an ID token says (OpenID Connect Core sections 2 and 3.1.3.6).
func TestIDTokens(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		tokens := app.redeem(h, codeOf(t, ada, P{"max_age": 600})).OK()
		id := claimsOf(t, tokens.String("id_token"))
		hash := sha256.Sum256([]byte(tokens.String("access_token")))
		now := float64(h.Clock.Now().Unix())
		for name, want := range map[string]any{
			"iss": harness.Issuer, "sub": ada.UserID, "aud": "wiki", "azp": "wiki", "nonce": "n-0S6", "sid": ada.SessionID, "typ": "JWT",
			"acr": oauth.OneFactor, "at_hash": base64.RawURLEncoding.EncodeToString(hash[:16]),
		} {
			if id[name] != want {
				t.Errorf("%s = %v, want %v", name, id[name], want)
			}
		}
		if id["iat"].(float64) > now || id["exp"].(float64) <= now || id["auth_time"].(float64) > now || id["alg"] == "none" || id["kid"] == "" {
			t.Errorf("the ID token: %v", id)
		}
		if without := app.redeem(h, codeOf(t, ada, P{"nonce": nil})).OK(); claimsOf(t, without.String("id_token"))["nonce"] != nil {
			t.Error("a nonce that nobody sent")
		}
		if plain := app.redeem(h, codeOf(t, ada, P{"scope": "users:read"})).OK(); plain.Has("id_token") {
			t.Error("an ID token without the scope openid")
		}
		if next := app.refresh(h, tokens.String("refresh_token")).OK(); claimsOf(t, next.String("id_token"))["auth_time"] != id["auth_time"] || claimsOf(t, next.String("id_token"))["sub"] != id["sub"] {
			t.Error("a refresh tells of another login")
		}
	})
}

// What the values of prompt ask for (OpenID Connect Core section 3.1.2.1).
func TestPrompts(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		wiki(ada)
		for _, more := range []string{"none login", "none consent", "none select_account"} {
			if got := refusal(t, ada, P{"prompt": more}); got != oauth.InvalidRequest {
				t.Errorf("%s: %q", more, got)
			}
		}
		codeOf(t, ada, nil)
		if got := answered(t, ada.Do("OAUTH.AUTHORIZE", request(P{"prompt": "none"}))); got.Get("code") == "" {
			t.Errorf("silently: %v", got)
		}
		if again := ada.Do("OAUTH.AUTHORIZE", request(P{"prompt": "consent"})).OK(); !again.Bool("consent_required") || again.Has("select_account") {
			t.Errorf("consent: %v", again.Data)
		}
		chosen := ada.Do("OAUTH.AUTHORIZE", request(P{"prompt": "select_account"})).OK()
		if !chosen.Bool("consent_required") || !chosen.Bool("select_account") {
			t.Errorf("select_account: %v", chosen.Data)
		}
		if got := answered(t, ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": chosen.String("request_id"), "approve": true})); got.Get("code") == "" {
			t.Errorf("who goes on as they are: %v", got)
		}
		// Who signed in since then has said who they are.
		held := ada.Do("OAUTH.AUTHORIZE", request(P{"prompt": "select_account"})).OK().String("request_id")
		h.Clock.Advance(time.Second)
		other := h.SignUp("eve@example.com")
		if got := other.Do("OAUTH.AUTHORIZE", P{"client_id": "wiki", "request_uri": held}).OK(); !got.Bool("consent_required") || got.Has("select_account") {
			t.Errorf("somebody else, who has yet to agree: %v", got.Data)
		}
		again := h.Login("ada@example.com", harness.Password)
		if got := answered(t, again.Do("OAUTH.AUTHORIZE", P{"client_id": "wiki", "request_uri": held})); got.Get("code") == "" {
			t.Errorf("who signed in again: %v", got)
		}
	})
}

// UserInfo answers with a bearer token, by GET and POST, what the scopes tell, and nothing of
// claims without a value (OpenID Connect Core section 5).
func TestUserInfo(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		ask := func(scope string) P {
			t.Helper()
			token := app.redeem(h, codeOf(t, ada, P{"scope": scope})).OK().String("access_token")
			var bodies [2]string
			for i, method := range []string{http.MethodGet, http.MethodPost} {
				w := asked(h, method, "/oauth/userinfo", "Bearer "+token)
				if bodies[i] = w.Body.String(); w.Code != http.StatusOK || w.Header().Get("Content-Type") != "application/json" || w.Header().Get("Cache-Control") != "no-store" {
					t.Fatalf("%s: %d %v", method, w.Code, w.Header())
				}
			}
			var claims P
			if err := json.Unmarshal([]byte(bodies[0]), &claims); err != nil || bodies[0] != bodies[1] {
				t.Fatalf("%v: %s", err, bodies)
			}
			return claims
		}
		if got := ask("openid"); len(got) != 1 || got["sub"] != ada.UserID {
			t.Errorf("openid: %v", got)
		}
		if got := ask("openid email"); len(got) != 3 || got["email"] != "ada@example.com" || got["email_verified"] != false {
			t.Errorf("email: %v", got)
		}
		if got := ask("openid address phone"); len(got) != 1 {
			t.Errorf("claims that there are none of: %v", got)
		}
		got := ask("openid profile")
		if updated, is := got["updated_at"].(float64); !is || updated == 0 || got["email"] != nil {
			t.Errorf("profile: %v", got)
		}
		for name, value := range got {
			if value == nil || value == "" {
				t.Errorf("profile: %s is empty", name)
			}
		}
		token := app.redeem(h, codeOf(t, ada, nil)).OK().String("access_token")
		if w := asked(h, http.MethodGet, "/oauth/userinfo?access_token="+token, ""); w.Code != http.StatusUnauthorized { // RFC 9700 section 4.3.2
			t.Errorf("a token in the address: %d %s", w.Code, w.Body)
		}
		for authorization, status := range map[string]int{"": 401, "Bearer x": 401, "Basic eDp5": 401, "Bearer " + ada.AccessToken + "x": 401} {
			if w := asked(h, http.MethodGet, "/oauth/userinfo", authorization); w.Code != status || !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer") && !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Basic") {
				t.Errorf("%q: %d %s %s", authorization, w.Code, w.Header(), w.Body)
			}
		}
	})
}

// Nobody is led to a client that nobody vouches for before they signed in, not even with an error: it
// could send links that lead from here to its own page (RFC 9700 section 4.11.2).
func TestStrangersWaitForErrors(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		registration(here, "open")
		ada, holder := here.SignUp("ada@example.com"), here.Holder()
		wiki(ada)
		stranger := here.Anonymous().Do("OAUTH.CLIENT_REGISTER", described(P{
			"redirect_uris": []string{callback}, "token_endpoint_auth_method": "private_key_jwt", "jwks": P{"keys": []P{here.Holder().JWK()}},
		})).OK().String("client_id")
		for want, more := range map[string]P{
			oauth.InvalidScope: {"scope": "apps:write"}, oauth.UnsupportedResponseType: {"response_type": "token"}, oauth.RequestNotSupported: {"request": "eyJhbGciOiJub25lIn0.e30."},
			oauth.InvalidRequestObject: {"request": holder.Sign(objectHeader(), object(here, P{"iss": stranger, "client_id": stranger}))},
		} {
			more["client_id"] = stranger
			held := here.Anonymous().Do("OAUTH.AUTHORIZE", request(more)).OK()
			if !held.Bool("login_required") || held.Has("redirect_to") {
				t.Errorf("%s: nobody is told %v", want, held.Data)
			}
			for by, params := range map[*harness.Actor]P{
				there.With(ada.AccessToken): {"client_id": stranger, "request_uri": held.String("request_id")},
				ada:                         request(more),
			} {
				if back := answered(t, by.Do("OAUTH.AUTHORIZE", params)); back.Get("error") != want || back.Get("state") != "xyz" {
					t.Errorf("who is signed in takes along %v, want %s", back, want)
				}
			}
		}
		for what, more := range map[string]P{"without a page": {"client_id": stranger, "prompt": "none"}, "a client of a workspace": {"response_type": "token"}} {
			if back := answered(t, here.Anonymous().Do("OAUTH.AUTHORIZE", request(more))); back.Get("error") == "" {
				t.Errorf("%s: %v", what, back)
			}
		}
	})
}
