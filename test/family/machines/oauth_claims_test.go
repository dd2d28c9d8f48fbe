package machines_test

import (
	"net/url"
	"testing"
	"time"

	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// Claims that a client names come where it wants them, once the person agreed to what tells them,
// and nothing else does (OpenID Connect Core section 5.5).
func TestClaimsByName(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada)
		named := P{"scope": "openid", "claims": P{
			"userinfo":  P{"email": nil, "name": P{"essential": true}, "unknown": nil, "sub": nil},
			"id_token":  P{"email_verified": P{"essential": true}, "auth_time": P{"essential": true}, "https://x.test/y": P{"value": "z"}},
			"elsewhere": P{"roles": nil},
		}}
		opened := ada.Do("OAUTH.AUTHORIZE", request(named)).OK()
		if got := opened.Strings("scopes"); len(got) != 3 || got[0] != "openid" || got[1] != "email" || got[2] != "profile" {
			t.Errorf("the person is asked for %v", got)
		}
		decided := ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true})
		tokens := app.redeem(there, answered(t, decided).Get("code")).OK()
		id := claimsOf(t, tokens.String("id_token"))
		if id["email_verified"] != false || id["email"] != nil || id["name"] != nil || id["auth_time"] == nil || tokens.String("scope") != "openid" {
			t.Errorf("the ID token: %v of %s", id, tokens.String("scope"))
		}
		for _, access := range []string{tokens.String("access_token"), app.refresh(here, tokens.String("refresh_token")).OK().String("access_token")} {
			info := there.With(access).Do("OAUTH.USERINFO", nil).OK()
			if info.String("claims.email") != "ada@example.com" || !info.Has("claims.name") || info.Has("claims.email_verified") || info.Has("claims.roles") || info.Has("claims.updated_at") {
				t.Errorf("userinfo: %v", info.Data)
			}
		}
		named["claims"] = `{"userinfo":{"email":null}}` // as a query has it; agreed to before
		if back := answered(t, ada.Do("OAUTH.AUTHORIZE", request(named))); back.Get("code") == "" {
			t.Errorf("the answer: %v", back)
		}
		named["claims"], named["prompt"] = P{"userinfo": P{"email": nil, "roles": nil}}, "consent"
		opened = ada.Do("OAUTH.AUTHORIZE", request(named)).OK()
		decided = ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true, "scopes": []string{"openid", "email"}})
		tokens = app.redeem(there, answered(t, decided).Get("code")).OK()
		if info := here.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).OK(); info.Has("claims.roles") || !info.Has("claims.email") {
			t.Errorf("userinfo with what the person left out: %v", info.Data)
		}
	})
}

// What is no claims parameter is told the client.
func TestMalformedClaims(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	wiki(ada)
	for _, claims := range []any{"x", "[]", 7, []string{"email"}, P{"userinfo": "email"}, P{"id_token": P{"acr": "1"}}, `{"userinfo":{},"userinfo":{}}`} {
		if got := refusal(t, ada, P{"claims": claims}); got != oauth.InvalidRequest {
			t.Errorf("%v: %q", claims, got)
		}
	}
	if opened := ada.Do("OAUTH.AUTHORIZE", request(P{"claims": P{"x": 1}, "claims_locales": "de fr", "ui_locales": "de"})).OK(); !opened.Bool("consent_required") {
		t.Errorf("members that mean nothing: %v", opened.Data)
	}
}

// The claim acr, where it is essential, is reached, or the login has failed (OpenID Connect Core
// section 5.5.1.1); sub names the person.
func TestEssentialContext(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		codeOf(t, ada, nil)
		acr := func(essential bool, values ...string) P {
			return P{"claims": P{"id_token": P{"acr": P{"essential": essential, "values": values}}}}
		}
		with := func(p P, prompt string) P {
			p["prompt"] = prompt
			return p
		}
		if got := refusal(t, ada, acr(true, "urn:elsewhere:gold")); got != oauth.UnmetRequirements {
			t.Errorf("a class that there is not: %q", got)
		}
		if got := refusal(t, ada, with(acr(true, oauth.TwoFactors), "none")); got != oauth.LoginRequired {
			t.Errorf("two factors without a page: %q", got)
		}
		opened := ada.Do("OAUTH.AUTHORIZE", request(acr(true, oauth.TwoFactors))).OK()
		if !opened.Bool("login_required") {
			t.Fatalf("two factors: %v", opened.Data)
		}
		h.Clock.Advance(time.Second)
		again := h.Login("ada@example.com", harness.Password) // by one factor, for she has no other
		if got := answered(t, again.Do("OAUTH.AUTHORIZE", P{"client_id": "wiki", "request_uri": opened.String("request_id")})); got.Get("error") != oauth.UnmetRequirements {
			t.Errorf("a login that did not reach it: %v", got)
		}
		for name, c := range map[string]P{"either": acr(true, oauth.TwoFactors, oauth.OneFactor), "one": acr(true, oauth.OneFactor), "at will, unknown": acr(false, "urn:elsewhere:gold")} {
			tokens := app.redeem(h, codeOf(t, again, c)).OK()
			if got := claimsOf(t, tokens.String("id_token"))["acr"]; got != oauth.OneFactor {
				t.Errorf("%s: acr is %v", name, got)
			}
		}
		if answer := again.Do("OAUTH.AUTHORIZE", request(acr(false, oauth.TwoFactors))).OK(); !answer.Bool("login_required") {
			t.Errorf("two factors at will: %v", answer.Data)
		}
		sub := func(id string) P { return P{"claims": P{"id_token": P{"sub": P{"value": id}}}} }
		if got := refusal(t, again, sub("usr_somebody_else")); got != oauth.LoginRequired {
			t.Errorf("somebody else: %q", got)
		}
		if code := codeOf(t, again, sub(ada.UserID)); code == "" {
			t.Error("no code for the person that the client wants")
		}
	})
}

// A client that names the person, by an ID token it has of them, is told of nobody else, whoever
// is signed in (OpenID Connect Core section 3.1.2.2).
func TestNamedPerson(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, eve := h.SignUp("ada@example.com"), h.SignUp("eve@example.com")
		app := wiki(ada)
		tokens := app.redeem(h, codeOf(t, ada, nil)).OK()
		hint := tokens.String("id_token")
		codeOf(t, eve, nil) // so that nobody is asked
		h.Clock.Advance(11 * time.Minute)
		ask := func(by *harness.Actor, more P) url.Values {
			return answered(t, by.Do("OAUTH.AUTHORIZE", request(more)))
		}
		for _, prompt := range []P{{}, {"prompt": "none"}} {
			prompt["id_token_hint"] = hint
			if back := ask(ada, prompt); back.Get("code") == "" {
				t.Errorf("herself: %v", back)
			}
			if back := ask(eve, prompt); back.Get("error") != "login_required" || back.Get("code") != "" {
				t.Errorf("somebody else: %v", back)
			}
		}
		oauthRegister(ada, "other", P{"type": "web", "redirect_urls": []string{callback}})
		for name, more := range map[string]P{
			"an access token": {"id_token_hint": tokens.String("access_token")}, "a forged hint": {"id_token_hint": hint[:len(hint)-4] + "AAAA"},
			"another client's": {"id_token_hint": hint, "client_id": "other"},
			"another claim":    {"id_token_hint": hint, "claims": P{"id_token": P{"sub": P{"value": eve.UserID}}}},
		} {
			if back := ask(ada, more); back.Get("error") != "invalid_request" || back.Get("code") != "" {
				t.Errorf("%s: %v", name, back)
			}
		}
	})
}
