package oauth_test

import (
	"crypto/sha256"
	"encoding/base64"
	"net/url"
	"strings"
	"testing"

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
func wiki(by *harness.Actor, more P) machine {
	params := P{"type": "web", "redirect_urls": []string{callback}, "scopes": []string{"users:read"}}
	for name, value := range more {
		params[name] = value
	}
	return register(by, "wiki", params)
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

// redeem asks for the tokens of a code.
func (m machine) redeem(h *harness.Service, code string, more P) *harness.Reply {
	params := P{
		"grant_type": "authorization_code", "client_id": m.slug, "client_secret": m.secret, "code": code, "redirect_uri": callback, "code_verifier": verifier,
	}
	for name, value := range more {
		params[name] = value
	}
	return h.Anonymous().Do("OAUTH.TOKEN", params)
}

func (m machine) refresh(h *harness.Service, token string) *harness.Reply {
	return h.Anonymous().Do("OAUTH.TOKEN", P{"grant_type": "refresh_token", "client_id": m.slug, "client_secret": m.secret, "refresh_token": token})
}

// An application logs somebody in, acts for them within its scopes, on every replica, and is
// shut out.
func TestAuthorizationCode(t *testing.T) {
	t.Parallel()
	onEachStore(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada, nil)
		opened := ada.Do("OAUTH.AUTHORIZE", request(nil)).OK()
		if !opened.Bool("consent_required") || opened.String("client.domain") != "wiki.example.com" || len(here.Events(oauth.KindCodeIssued)) != 0 {
			t.Fatalf("the first request: %v", opened.Data)
		}
		decided := ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true})
		got := answered(t, decided)
		if got.Get("state") != "xyz" || got.Get("iss") != harness.Issuer || got.Get("code") == "" {
			t.Fatalf("the answer: %v", got)
		}
		ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true}).Fails(fault.Validation)

		tokens := app.redeem(there, got.Get("code"), nil).OK()
		access := tokens.String("access_token")
		info := here.With(access).Do("OAUTH.USERINFO", nil).OK()
		if info.String("sub") != ada.UserID || info.String("claims.email") != "ada@example.com" {
			t.Errorf("userinfo: %v", info.Data)
		}
		here.With(access).Do("USER.GET", P{"user_id": ada.UserID}).OK()      // by users:read
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
