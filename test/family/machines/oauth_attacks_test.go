package machines_test

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// The attacks of RFC 9700 section 4, as far as no other test has them.

// manipulated are addresses that are not the registered one, though something might take them
// for it.
func manipulated() []string {
	return []string{
		"", "x", "//wiki.example.com/callback", "https:/wiki.example.com/callback", "https:wiki.example.com/callback", "http://wiki.example.com/callback",
		"https://wiki.example.com", "https://wiki.example.com/", "https://wiki.example.com/callback/", "https://wiki.example.com//callback",
		"https://wiki.example.com/Callback", "https://WIKI.example.com/callback", "HTTPS://wiki.example.com/callback", "https://wiki.example.com/callback?",
		"https://wiki.example.com/callback?next=https://evil.example", "https://wiki.example.com/callback#", "https://wiki.example.com/callback#x",
		"https://wiki.example.com/callback/../open", "https://wiki.example.com/callback/%2e%2e/open", "https://wiki.example.com/callback;x", "https://wiki.example.com/%63allback",
		"https://wiki.example.com:443/callback", "https://wiki.example.com:8443/callback", "https://wiki.example.com./callback", "https://wiki.example.com@evil.example/callback",
		"https://evil@wiki.example.com/callback", "https://evil.example/callback", "https://evil.example/https://wiki.example.com/callback", "https://wiki.example.com.evil.example/callback",
		"https://evilwiki.example.com/callback", "https://evil.example\\.wiki.example.com/callback", "https://wiki.example.com\\@evil.example/callback",
		"https://evil.example#wiki.example.com/callback", "https://evil.example?.wiki.example.com/callback", "https://wiki.example.com/callback\r\nSet-Cookie: x=y",
		"https://wiki.example.com/callback\x00", " https://wiki.example.com/callback", "https://wiki.example.com/callback ", "https://wiki\u3002example.com/callback",
		"javascript:alert(1)", "data:text/html,x", "com.example.app:/callback", "http://127.0.0.1/callback", "https://wiki.example.com/callback,https://evil.example/",
	}
}

// Nobody is sent anywhere but to the address that was registered, character by character, by a
// request that is sent, pushed or sent without signing in, nor for an error (RFC 9700 sections
// 4.1 and 4.11).
func TestManipulatedRedirects(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		codeOf(t, ada, nil) // she agreed, so that nothing but the address is in the way
		for _, address := range manipulated() {
			for what, more := range map[string]P{"": nil, " with an error to tell": {"response_type": "token"}, " silently": {"prompt": "none"}} {
				params := request(more)
				params["redirect_uri"] = address
				for who, by := range map[string]*harness.Actor{"ada": ada, "nobody": h.Anonymous()} {
					if got := by.Do("OAUTH.AUTHORIZE", params); codeOfFailure(got) != fault.Validation {
						t.Errorf("%q%s by %s: %v", address, what, who, got.Data)
					}
				}
			}
			pushed := request(P{"client_secret": app.secret})
			pushed["redirect_uri"] = address
			h.Anonymous().Do("OAUTH.REQUEST_PUSH", pushed).Fails(fault.Validation)
		}
		// Where more than one is registered, none is meant by a request that names none.
		ada.Do("APP.UPDATE", P{"app_id": app.id, "redirect_urls": []string{callback, "https://wiki.example.com/other"}}).OK()
		ada.Do("OAUTH.AUTHORIZE", request(P{"redirect_uri": nil})).Fails(fault.Validation)
	})
}

// A code that somebody else was given is of no use in one's own login: it is bound to the verifier
// of the browser that asked (RFC 9700 section 4.5); nor is PKCE talked away (section 4.8).
func TestInjectedCodes(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, eve := here.SignUp("ada@example.com"), here.SignUp("eve@example.com")
		app := wiki(ada)
		stolen := codeOf(t, ada, nil)
		codeOf(t, eve, P{"code_challenge": challengeOf(strings.Repeat("e", 43))})
		for what, params := range map[string]P{
			"with the verifier of the thief": {"code_verifier": strings.Repeat("e", 43)}, "with the challenge as verifier": {"code_verifier": challengeOf(verifier)},
			"without a verifier": {"code_verifier": nil}, "with a short verifier": {"code_verifier": verifier[:42]}, "with a long verifier": {"code_verifier": verifier + "A"},
		} {
			whole := app.proves(P{"grant_type": "authorization_code", "code": stolen, "redirect_uri": callback, "code_verifier": verifier})
			for name, value := range params {
				whole[name] = value
				if value == nil {
					delete(whole, name)
				}
			}
			refused(t, what, there.Anonymous().Do("OAUTH.TOKEN", whole), "invalid_grant")
		}
		app.redeem(here, stolen).OK()
		for what, more := range map[string]P{
			"plain":                     {"code_challenge_method": "plain", "code_challenge": verifier},
			"no method, which is plain": {"code_challenge_method": nil, "code_challenge": verifier},
			"an unknown method":         {"code_challenge_method": "S512"},
			"a method alone":            {"code_challenge": nil},
			"a short challenge":         {"code_challenge": "abc"},
		} {
			if got := refusal(t, ada, more); got != oauth.InvalidRequest {
				t.Errorf("%s: %q", what, got)
			}
		}
	})
}

// What one client was given is of no use to another one, by whichever endpoint (RFC 9700 section
// 4.14).
func TestSubstitutedTokens(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada, eve := here.SignUp("ada@example.com"), here.SignUp("eve@example.com")
		app := wiki(ada)
		evil := oauthRegister(eve, "evil", P{"type": "web", "redirect_urls": []string{callback}, "scopes": []string{}})
		tokens := app.redeem(here, codeOf(t, ada, P{"scope": "openid users:read offline_access"})).OK()
		access, refresh := tokens.String("access_token"), tokens.String("refresh_token")
		refused(t, "the refresh token of another client", evil.refresh(there, refresh), "invalid_grant")
		for _, token := range []string{access, refresh} {
			if got := there.Anonymous().Do("OAUTH.REVOKE", evil.proves(P{"token": token})).OK(); got.Bool("revoked") {
				t.Error("another client ended a token")
			}
		}
		refused(t, "more scopes at a refresh", there.Anonymous().Do("OAUTH.TOKEN", app.proves(P{
			"grant_type": "refresh_token", "refresh_token": refresh, "scope": "openid apps:write",
		})), "invalid_scope")
		refused(t, "another resource at a refresh", there.Anonymous().Do("OAUTH.TOKEN", app.proves(P{
			"grant_type": "refresh_token", "refresh_token": refresh, "resource": "https://api.example.com",
		})), "invalid_target")
		app.refresh(here, refresh).OK()
		if got := oauthClaims(t, tokens); got["client_id"] != "wiki" || got["aud"] != harness.Issuer {
			t.Errorf("the access token: %v", got)
		}
		if id := claimsOf(t, tokens.String("id_token")); id["aud"] != "wiki" || id["azp"] != "wiki" || id["nonce"] != "n-0S6" {
			t.Errorf("the ID token: %v", id)
		}
	})
}

// No token is taken for one of another kind, by whoever consumes tokens (RFC 9068 section 5, RFC
// 8725 section 3.11).
func TestConfusedTokens(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		to := receive(t)
		ada := h.SignUp("ada@example.com")
		app := listening(ada, to)
		television := tv(ada)
		search := exchanger(ada, "search", "wiki")
		guest := h.Login("ada@example.com", harness.Password)
		tokens := app.redeem(h, codeOf(t, guest, nil)).OK()
		offline := app.redeem(h, codeOf(t, ada, P{"scope": "openid offline_access"})).OK()
		guest.Do("AUTH.LOGOUT", nil).OK()
		sendLogouts(t, h)
		logouts := to.taken()
		if len(logouts) != 1 {
			t.Fatalf("%d logout tokens", len(logouts))
		}
		code := codeOf(t, ada, nil)
		pushed := h.Anonymous().Do("OAUTH.REQUEST_PUSH", request(P{"client_secret": app.secret})).OK().String("request_uri")
		kinds := map[string]string{
			"an ID token": offline.String("id_token"), "a logout token": logouts[0], "a refresh token": offline.String("refresh_token"), "a code": code, "a request": pushed,
			"an access token that ended": tokens.String("access_token"), "a refresh token of a login": ada.RefreshToken,
		}
		for kind, text := range kinds {
			for _, command := range []string{"OAUTH.USERINFO", "AUTH.WHOAMI", "USER.ME"} {
				if got := h.With(text).Do(command, nil); got.Failure == nil {
					t.Errorf("%s is taken by %s", kind, command)
				}
			}
			if got := search.exchange(h, text, nil); got.Failure == nil {
				t.Errorf("%s is exchanged", kind)
			}
			if kind != "an ID token" {
				h.Anonymous().Do("OAUTH.END_SESSION", P{"id_token_hint": text}).Fails(fault.Validation)
			}
			if kind != "a refresh token" {
				app.refresh(h, text).Fails(fault.Validation)
			}
			h.Anonymous().Do("OAUTH.TOKEN", television.proves(P{"grant_type": oauth.DeviceGrant, "device_code": text})).Fails(fault.Validation)
			if kind != "a code" {
				app.redeem(h, text).Fails(fault.Validation)
			}
			if got := h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": text}); kind != "a refresh token of a login" && got.Failure == nil {
				t.Errorf("%s refreshes a login", kind)
			}
			if kind != "a request" {
				if got := ada.Do("OAUTH.AUTHORIZE", P{"client_id": "wiki", "request_uri": "urn:ietf:params:oauth:request_uri:" + text}); got.Failure == nil {
					t.Errorf("%s opens a request", kind)
				}
			}
		}
		access := offline.String("access_token")
		h.Anonymous().Do("OAUTH.END_SESSION", P{"id_token_hint": access}).Fails(fault.Validation)
		app.refresh(h, access).Fails(fault.Validation)
		if got := h.Anonymous().Do("OAUTH.TOKEN", P{
			"grant_type": "refresh_token", "refresh_token": offline.String("refresh_token"), "client_id": "wiki",
			"client_assertion": access, "client_assertion_type": assertionType,
		}); codeOfFailure(got) != fault.Auth {
			t.Errorf("an access token as an assertion: %v", got.Failure)
		}
	})
}

// send sends a request as a browser does, and returns the answer.
func send(h *harness.Service, method, path string, form url.Values) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, harness.Issuer+path, strings.NewReader(form.Encode()))
	r.Header.Set("Accept", "text/html")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	w := httptest.NewRecorder()
	h.Handler.ServeHTTP(w, r)
	return w
}

// asked sends a request with an Authorization header, if any.
func asked(h *harness.Service, method, path, authorization string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(method, harness.Issuer+path, http.NoBody)
	if authorization != "" {
		r.Header.Set("Authorization", authorization)
	}
	w := httptest.NewRecorder()
	h.Handler.ServeHTTP(w, r)
	return w
}

// No page of authorization is framed, leaks where it was in a referrer, is kept by a cache, or
// sends a form on with what was in it (RFC 9700 sections 4.2, 4.12, 4.16 and 4.17).
func TestPagesOfAuthorizationGiveNothingAway(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		wiki(ada)
		sought := url.Values{}
		for name, value := range request(nil) {
			sought.Set(name, value.(string))
		}
		for what, w := range map[string]*httptest.ResponseRecorder{
			"a request":             send(h, http.MethodGet, "/oauth/authorize?"+sought.Encode(), nil),
			"a request that is bad": send(h, http.MethodGet, "/oauth/authorize?client_id=nobody", nil),
			"a posted request":      send(h, http.MethodPost, "/oauth/authorize", sought),
			"a login":               send(h, http.MethodGet, "/login", nil),
			"a posted login":        send(h, http.MethodPost, "/login", url.Values{"email": {"ada@example.com"}, "password": {harness.Password}}),
			"a device":              send(h, http.MethodGet, "/device", nil),
			"a logout":              send(h, http.MethodGet, "/oauth/end_session", nil),
			"a posted logout":       send(h, http.MethodPost, "/oauth/end_session", url.Values{"client_id": {"wiki"}}),
		} {
			header := w.Header()
			if w.Code == http.StatusTemporaryRedirect || w.Code == http.StatusPermanentRedirect || w.Code >= http.StatusMultipleChoices && w.Code < http.StatusBadRequest && w.Code != http.StatusSeeOther {
				t.Errorf("%s: status %d", what, w.Code)
			}
			if header.Get("X-Frame-Options") != "DENY" || !strings.Contains(header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
				t.Errorf("%s may be framed: %v", what, header)
			}
			if policy := header.Get("Referrer-Policy"); policy != "no-referrer" && policy != "same-origin" {
				t.Errorf("%s: Referrer-Policy %q", what, policy)
			}
			if header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: Cache-Control %q", what, header.Get("Cache-Control"))
			}
			if to := header.Get("Location"); strings.Contains(to, harness.Password) || strings.HasPrefix(to, "//") || strings.HasPrefix(to, "http") && !strings.HasPrefix(to, harness.Issuer) {
				t.Errorf("%s leads to %q", what, to)
			}
		}
		// Nobody is sent elsewhere after a login (section 4.11).
		for _, to := range []string{"https://evil.example/", "//evil.example/", "/\\evil.example", "\\\\evil.example", "/%2fevil.example/..//evil.example", "javascript:alert(1)", "https:evil.example"} {
			w := send(h, http.MethodGet, "/login?return_to="+url.QueryEscape(to), nil)
			if strings.Contains(w.Body.String(), "evil.example") || strings.Contains(w.Header().Get("Location"), "evil.example") {
				t.Errorf("a login leads to %q", to)
			}
		}
	})
}

// A code is worth nothing once the session has ended in which it was given, and what is redeemed or
// refreshed while it ends does not outlive it, on whichever replica.
func TestGrantsWhileTheirSessionEnds(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		app := wiki(here.SignUp("ada@example.com"))
		guest := here.Login("ada@example.com", harness.Password)
		code := codeOf(t, guest, nil)
		there.With(guest.AccessToken).Do("AUTH.LOGOUT", nil).OK()
		refused(t, "a code of a session that has ended", app.redeem(here, code), "invalid_grant")
		for range 4 {
			guest := here.Login("ada@example.com", harness.Password)
			codes := []string{codeOf(t, guest, nil), codeOf(t, guest, nil)}
			held := app.redeem(here, codeOf(t, guest, nil)).OK().String("refresh_token")
			var all sync.WaitGroup
			var got [4]*harness.Reply
			all.Go(func() { got[0] = app.redeem(here, codes[0]) })
			all.Go(func() { got[1] = app.refresh(there, held) })
			all.Go(func() { got[2] = here.With(guest.AccessToken).Do("OAUTH.AUTHORIZE", request(nil)) })
			all.Go(func() { there.With(guest.AccessToken).Do("AUTH.LOGOUT", nil).OK() })
			all.Wait()
			got[3] = app.redeem(there, codes[1])
			if got[3].Failure == nil {
				t.Error("a code was redeemed after the session had ended")
			}
			if late := got[2]; late.Failure == nil && late.Has("redirect_to") {
				refused(t, "a code that was given while the session ended", app.redeem(here, answered(t, late).Get("code")), "invalid_grant")
			}
			for _, tokens := range got[:2] {
				if tokens.Failure != nil {
					continue
				}
				for _, h := range []*harness.Service{here, there} {
					h.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
					refused(t, "the refresh of what outlived its session", app.refresh(h, tokens.String("refresh_token")), "invalid_grant")
				}
			}
		}
	})
}
