package machines_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

const (
	callback = "https://wiki.example.com/callback"
	verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
)

func challengeOf(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// wiki registers an application that logs people in.
func wiki(by *harness.Actor) oauthMachine {
	return oauthRegister(by, "wiki", P{"type": "web", "redirect_urls": []string{callback}, "scopes": []string{"users:read"}})
}

// request are the parameters of an authorization request.
func request(more P) P {
	params := P{
		"client_id": "wiki", "redirect_uri": callback, "response_type": "code", "scope": "openid profile email users:read", "state": "xyz",
		"nonce": "n-0S6", "code_challenge": challengeOf(verifier), "code_challenge_method": "S256",
	}
	for name, value := range more {
		if value == nil {
			delete(params, name)
		} else {
			params[name] = value
		}
	}
	return params
}

// answered returns the parameters that an answer takes to the client.
func answered(t *testing.T, r *harness.Reply) url.Values {
	t.Helper()
	to, err := url.Parse(r.OK().String("redirect_to"))
	if err != nil || !strings.HasPrefix(to.String(), callback+"?") {
		t.Fatalf("the answer goes to %v, %v", r.Data, err)
	}
	return to.Query()
}

// codeOf has a person let the client in, and returns the code.
func codeOf(t *testing.T, by *harness.Actor, more P) string {
	t.Helper()
	opened := by.Do("OAUTH.AUTHORIZE", request(more)).OK()
	if opened.Has("consent_required") {
		opened = by.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true})
	}
	return answered(t, opened).Get("code")
}

// codeOfFailure is how a command failed; "" when it did not.
func codeOfFailure(r *harness.Reply) fault.Code {
	if r.Failure == nil {
		return ""
	}
	return r.Failure.Code
}

// redeem asks for the tokens of a code.
func (m oauthMachine) redeem(h *harness.Service, code string) *harness.Reply {
	return h.Anonymous().Do("OAUTH.TOKEN", P{
		"grant_type": "authorization_code", "client_id": m.slug, "client_secret": m.secret, "code": code, "redirect_uri": callback, "code_verifier": verifier,
	})
}

func (m oauthMachine) refresh(h *harness.Service, token string) *harness.Reply {
	return h.Anonymous().Do("OAUTH.TOKEN", m.proves(P{"grant_type": "refresh_token", "refresh_token": token}))
}

// proves adds who the app is.
func (m oauthMachine) proves(params P) P {
	params["client_id"] = m.slug
	if m.secret != "" {
		params["client_secret"] = m.secret
	}
	return params
}

// An application logs somebody in, acts for them within its scopes, on every replica, and is
// shut out.
func TestAuthorizationCode(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada)
		opened := ada.Do("OAUTH.AUTHORIZE", request(nil)).OK()
		if !opened.Bool("consent_required") || opened.String("client.domain") != "wiki.example.com" || len(here.Events(oauth.KindCodeIssued)) != 0 {
			t.Fatalf("the first request: %v", opened.Data)
		}
		decided := ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true})
		got := answered(t, decided)
		if got.Get("state") != "xyz" || got.Get("iss") != harness.Issuer || got.Get("code") == "" {
			t.Fatalf("the answer: %v", got)
		}
		ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true}).Fails(fault.NotFound)

		tokens := app.redeem(there, got.Get("code")).OK()
		access := tokens.String("access_token")
		info := here.With(access).Do("OAUTH.USERINFO", nil).OK()
		if info.String("sub") != ada.UserID || info.String("claims.email") != "ada@example.com" {
			t.Errorf("userinfo: %v", info.Data)
		}
		here.With(access).Do("USER.GET", P{"user_id": ada.UserID}).OK()     // by users:read
		here.With(access).Do("APP.LIST", nil).Fails(fault.Denied)           // a permission that was not asked for
		here.With(access).Do("SESSION.LIST", nil).Fails(fault.Denied)       // of the person's own
		here.With(access).Do("OAUTH.CONSENT_LIST", nil).Fails(fault.Denied) // likewise

		next := app.refresh(here, tokens.String("refresh_token")).OK()
		if again := codeOf(t, ada, nil); again == "" {
			t.Error("who agreed is asked again")
		}
		if listed := ada.Do("OAUTH.CONSENT_LIST", nil).OK(); len(listed.List("items")) != 1 {
			t.Errorf("the consents: %v", listed.Data)
		}
		there.With(ada.AccessToken).Do("OAUTH.CONSENT_REVOKE", P{"app_id": app.id}).OK()
		for _, token := range []string{access, next.String("access_token")} {
			here.With(token).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
		}
		app.refresh(here, next.String("refresh_token")).Fails(fault.Validation)
	})
}

// The second use of a code, on whichever replica, ends what the first one gave (RFC 6749
// section 4.1.2); a replaced refresh token does, too (RFC 9700 section 4.14.2).
func TestReplayedGrants(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada)
		code := codeOf(t, ada, nil)
		tokens := app.redeem(here, code).OK()
		app.redeem(there, code).Fails(fault.Validation)
		here.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
		app.refresh(here, tokens.String("refresh_token")).Fails(fault.Validation)

		tokens = app.redeem(there, codeOf(t, ada, nil)).OK()
		first := tokens.String("refresh_token")
		again := app.refresh(there, app.refresh(here, first).OK().String("refresh_token")).OK()
		app.refresh(here, first).Fails(fault.Validation)
		there.With(again.String("access_token")).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
		app.refresh(there, again.String("refresh_token")).Fails(fault.Validation)
		if reasons := here.Events(oauth.KindRevoked); len(reasons) != 2 {
			t.Errorf("%d grants ended, want 2", len(reasons))
		}
	})
}

// Of callers who redeem one code at once, on two replicas, one is given tokens at most.
func TestCodeRace(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada)
		code := codeOf(t, ada, nil)
		var given atomic.Int32
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				if app.redeem([]*harness.Service{here, there}[i%2], code).Failure == nil {
					given.Add(1)
				}
			})
		}
		all.Wait()
		if given.Load() > 1 {
			t.Errorf("the code was redeemed %d times", given.Load())
		}
	})
}

// Nobody is given tokens for a code that is not theirs, or that they do not prove to have
// asked for.
func TestForeignCodes(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		other := oauthRegister(ada, "other", P{"type": "web", "redirect_urls": []string{callback}})
		ada.Do("APP.REGISTER", P{"name": "spa", "slug": "spa", "type": "spa", "redirect_urls": []string{callback}}).OK()
		code := codeOf(t, ada, nil)
		for name, params := range map[string]P{
			"another verifier": {"code_verifier": strings.Repeat("a", 43)}, "no verifier": {"code_verifier": nil}, "another address": {"redirect_uri": callback + "/"},
			"no address": {"redirect_uri": nil}, "another client": {"client_id": other.slug, "client_secret": other.secret},
			"a public client": {"client_id": "spa", "client_secret": nil}, "another resource": {"resource": "https://api.example.com"},
			"a code that was made up": {"code": code[:len(code)-8] + "AAAAAAAA"}, "another grant type": {"grant_type": "refresh_token", "refresh_token": code},
		} {
			whole := P{"grant_type": "authorization_code", "client_id": app.slug, "client_secret": app.secret, "code": code, "redirect_uri": callback, "code_verifier": verifier}
			for key, value := range params {
				whole[key] = value
				if value == nil {
					delete(whole, key)
				}
			}
			if got := h.Anonymous().Do("OAUTH.TOKEN", whole); codeOfFailure(got) != fault.Validation {
				t.Errorf("%s: %v", name, got.Data)
			}
		}
		h.Anonymous().Do("OAUTH.TOKEN", P{"grant_type": "authorization_code", "client_id": app.slug, "code": code, "redirect_uri": callback, "code_verifier": verifier}).Fails(fault.Auth)
		app.redeem(h, code).OK()
		h.Clock.Advance(2 * time.Minute)
		late := codeOf(t, ada, nil)
		h.Clock.Advance(oauth.CodeLife)
		app.redeem(h, late).Fails(fault.Validation)
	})
}

// What must not go back to a client stays here; all else goes back, with who answers.
func TestRefusedRequests(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		wiki(ada)
		for name, params := range map[string]P{
			"no such client": {"client_id": "nobody"}, "another address": {"redirect_uri": callback + "?x=1"}, "an address with more": {"redirect_uri": callback + "/.."},
			"another port":      {"redirect_uri": "https://wiki.example.com:8443/callback"},
			"a made-up request": {"redirect_uri": nil, "request_uri": "urn:ietf:params:oauth:request_uri:x"}, "a foreign one": {"redirect_uri": nil, "request_uri": "https://evil.example.com"},
		} {
			if got := ada.Do("OAUTH.AUTHORIZE", request(params)); codeOfFailure(got) != fault.Validation && codeOfFailure(got) != fault.NotFound {
				t.Errorf("%s: %v", name, got.Data)
			}
		}
		for want, params := range map[string]P{
			"unsupported_response_type": {"response_type": "token"}, "invalid_request": {"code_challenge": nil, "code_challenge_method": nil},
			"invalid_scope": {"scope": "apps:write"}, "consent_required": {"prompt": "none"}, "request_not_supported": {"request": "a.b.c"},
			"invalid_target": {"resource": "https://unknown.example.org"},
		} {
			if want == "invalid_target" {
				h.Superadmin().Do("SETTINGS.SET", P{"values": P{"audiences": "registered"}}).OK()
			}
			got := answered(t, ada.Do("OAUTH.AUTHORIZE", request(params)))
			if got.Get("error") != want || got.Get("state") != "xyz" || got.Get("iss") != harness.Issuer || got.Has("code") {
				t.Errorf("%s: %v", want, got)
			}
		}
		object := "eyJhbGciOiJub25lIn0." + base64.RawURLEncoding.EncodeToString([]byte(`{"state":"within","response_mode":"form_post"}`)) + "."
		refused := ada.Do("OAUTH.AUTHORIZE", request(P{"state": nil, "request": object})).OK()
		if got := answered(t, refused); got.Get("error") != "request_not_supported" || got.Get("state") != "within" || refused.String("response_mode") != "form_post" {
			t.Errorf("an object that says how its answer is awaited: %v", refused.Data)
		}
		if got := answered(t, h.Anonymous().Do("OAUTH.AUTHORIZE", request(P{"prompt": "none"}))); got.Get("error") != "login_required" {
			t.Errorf("nobody, silently: %v", got)
		}
	})
}

// A request waits for a login, once; it is answered by the session that it was opened by.
func TestWaitingRequests(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, eve := h.SignUp("ada@example.com"), h.SignUp("eve@example.com")
		app := wiki(ada)
		waiting := h.Anonymous().Do("OAUTH.AUTHORIZE", request(nil)).OK()
		if !waiting.Bool("login_required") {
			t.Fatalf("nobody is signed in: %v", waiting.Data)
		}
		resumed := P{"client_id": app.slug, "request_uri": waiting.String("request_id")}
		opened := ada.Do("OAUTH.AUTHORIZE", resumed).OK()
		eve.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true}).Fails(fault.NotFound)
		denied := answered(t, ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": false}))
		if denied.Get("error") != "access_denied" || len(h.Events(oauth.KindConsentDenied)) != 1 {
			t.Errorf("a refusal: %v", denied)
		}
		ada.Do("OAUTH.AUTHORIZE", resumed).Fails(fault.NotFound) // it was answered

		h.Clock.Advance(time.Minute)
		for _, params := range []P{{"prompt": "login"}, {"max_age": 30}, {"acr_values": "urn:gatehouse:acr:2"}} {
			if again := ada.Do("OAUTH.AUTHORIZE", request(params)).OK(); !again.Bool("login_required") {
				t.Errorf("%v: %v", params, again.Data)
			}
		}
		stale := ada.Do("OAUTH.AUTHORIZE", request(P{"prompt": "login"})).String("request_id")
		newer := h.Login("ada@example.com", harness.Password)
		if got := newer.Do("OAUTH.AUTHORIZE", P{"client_id": app.slug, "request_uri": stale}).OK(); !got.Bool("consent_required") {
			t.Errorf("after a login: %v", got.Data)
		}
	})
}

// A pushed request is opened by its client, soon, and finished once.
func TestPushedRequests(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada)
		push := func() string {
			return here.Anonymous().Do("OAUTH.REQUEST_PUSH", request(P{"client_secret": app.secret})).OK().String("request_uri")
		}
		here.Anonymous().Do("OAUTH.REQUEST_PUSH", request(P{"client_secret": app.secret, "redirect_uri": "https://evil.example.com"})).Fails(fault.Validation)
		here.Anonymous().Do("OAUTH.REQUEST_PUSH", request(nil)).Fails(fault.Auth)
		first := push()
		opened := there.With(ada.AccessToken).Do("OAUTH.AUTHORIZE", P{"client_id": app.slug, "request_uri": first}).OK()
		again := ada.Do("OAUTH.AUTHORIZE", P{"client_id": app.slug, "request_uri": first}).OK() // not finished yet
		if code := answered(t, ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true})).Get("code"); code == "" {
			t.Error("no code")
		}
		ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": again.String("request_id"), "approve": true}).Fails(fault.NotFound)
		ada.Do("OAUTH.AUTHORIZE", P{"client_id": app.slug, "request_uri": first}).Fails(fault.NotFound)
		late := push()
		here.Clock.Advance(oauth.PushedLife + time.Second)
		ada.Do("OAUTH.AUTHORIZE", P{"client_id": app.slug, "request_uri": late}).Fails(fault.NotFound)
	})
}

// What a client was let have ends with the session, unless it is for offline access, and with
// the account and the app.
func TestGrantsEnd(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		guest := h.Login("ada@example.com", harness.Password)
		bound := app.redeem(h, codeOf(t, guest, nil)).OK()
		offline := app.redeem(h, codeOf(t, guest, P{"scope": "openid offline_access"})).OK()
		guest.Do("AUTH.LOGOUT", nil).OK()
		h.With(bound.String("access_token")).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
		app.refresh(h, bound.String("refresh_token")).Fails(fault.Validation)
		h.With(offline.String("access_token")).Do("OAUTH.USERINFO", nil).OK()
		next := app.refresh(h, offline.String("refresh_token")).OK()
		ada.Do("APP.UPDATE", P{"app_id": app.id, "enabled": false}).OK()
		h.With(next.String("access_token")).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
		app.refresh(h, next.String("refresh_token")).Fails(fault.Auth)
	})
}

// A client ends what a person let it have by either of the tokens, and nobody else does.
func TestRevokedGrants(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app, other := wiki(ada), oauthRegister(ada, "other", nil)
		for _, kind := range []string{"access_token", "refresh_token"} {
			tokens := app.redeem(h, codeOf(t, ada, nil)).OK()
			if got := other.revoke(h, tokens.String(kind)).OK(); got.Bool("revoked") {
				t.Errorf("another client ended the grant by its %s", kind)
			}
			h.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).OK()
			for range 2 {
				if got := app.revoke(h, tokens.String(kind)).OK(); !got.Bool("revoked") {
					t.Errorf("the client does not end the grant by its %s", kind)
				}
			}
			h.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).Fails(fault.Auth)
			app.refresh(h, tokens.String("refresh_token")).Fails(fault.Validation)
		}
	})
}
