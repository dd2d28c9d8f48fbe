package machines_test

import (
	"crypto/rand"
	"testing"
	"time"

	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// A client of FAPI 2.0 may use its refresh token again on every replica and at any time, and so
// may send it once more whose answer was lost (FAPI 2.0 Security Profile section 5.3.2.1); it is
// of no use without the client's key.
func TestRefreshTokensOfFAPIStay(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		wiki, holder := wiki(ada), here.Holder()
		kept := wiki.redeem(here, codeOf(t, ada, nil)).OK().String("refresh_token")
		ada.Do("APP.SET_JWKS", P{"app_id": wiki.id, "jwks": P{"keys": []P{holder.JWK()}}}).OK()
		ada.Do("APP.UPDATE", P{"app_id": wiki.id, "profile": "fapi2"}).OK()
		for turn, h := range []*harness.Service{here, there, here} {
			claims := assertion(h, wiki.slug)
			claims["jti"] = string(rune('a' + turn))
			params := P{
				"grant_type": "refresh_token", "refresh_token": kept, "client_id": wiki.slug,
				"client_assertion_type": assertionType, "client_assertion": holder.Sign(P{"alg": "ES256"}, claims),
			}
			reply := direct(t, h, "OAUTH.TOKEN", params, holder.Proof("POST", endpoint, ""), "")
			if got := decoded(t, reply); got["refresh_token"] != kept || got["token_type"] != "DPoP" {
				t.Fatalf("turn %d: %v, %v", turn, got, reply.Failure)
			}
			here.Clock.Advance(time.Minute) // longer than an answer may be lost
		}
		wiki.refresh(there, kept).Fails(fault.Auth)
	})
}

// A DPoP proof at a pushed request binds the code to its key, on every replica; it has to be that
// of dpop_jkt (RFC 9449 section 10.1). Clocks may be ten seconds apart.
func TestProofOfPushedRequest(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		wiki, holder, stranger := wiki(ada), here.Holder(), here.Holder()
		push := func(by *harness.Holder, more P, changes ...P) (P, *fault.Error) {
			reply := direct(t, here, "OAUTH.REQUEST_PUSH", wiki.proves(request(more)), by.Proof("POST", endpoint, "", changes...), "")
			return decoded(t, reply), reply.Failure
		}
		redeem := func(code, proof string) (P, *fault.Error) {
			reply := direct(t, there, "OAUTH.TOKEN", wiki.proves(P{"grant_type": "authorization_code", "code": code, "redirect_uri": callback, "code_verifier": verifier}), proof, "")
			return decoded(t, reply), reply.Failure
		}
		if _, failure := push(stranger, P{"dpop_jkt": holder.Thumbprint()}); failure != dpop.ErrOtherKey {
			t.Errorf("a dpop_jkt of another key than the proof's: %v", failure)
		}
		now := here.Clock.Now().Unix()
		for name, more := range map[string]P{"without dpop_jkt": nil, "with dpop_jkt": {"dpop_jkt": holder.Thumbprint()}} {
			for _, apart := range []int64{-10, 0, 10} {
				pushed, failure := push(holder, more, P{"iat": now + apart})
				if failure != nil {
					t.Fatalf("%s, %d seconds apart: %v", name, apart, failure)
				}
				code := codeOf(t, ada, P{"request_uri": pushed["request_uri"]})
				if _, failure := redeem(code, ""); failure != dpop.ErrAbsent {
					t.Errorf("%s: a code without a proof: %v", name, failure)
				}
				if _, failure := redeem(code, stranger.Proof("POST", endpoint, "")); failure != dpop.ErrOtherKey {
					t.Errorf("%s: a code with a proof by another key: %v", name, failure)
				}
				tokens, failure := redeem(code, holder.Proof("POST", endpoint, "", P{"iat": now + apart}))
				if failure != nil || part(t, tokens["access_token"].(string), 1)["cnf"].(P)["jkt"] != holder.Thumbprint() {
					t.Errorf("%s, %d seconds apart: %v, %v", name, apart, tokens, failure)
				}
			}
		}
	})
}

// A client of FAPI 2.0 names its redirect URI in each request that it pushes, though it has one
// only (FAPI 2.0 Security Profile section 5.3.2.2). Its clock may be eight seconds ahead, and not
// more than a minute (section 5.3.2.1).
func TestPushedRequestsOfFAPI(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		wiki, holder := wiki(ada), h.Holder()
		ada.Do("APP.SET_JWKS", P{"app_id": wiki.id, "jwks": P{"keys": []P{holder.JWK()}}}).OK()
		ada.Do("APP.UPDATE", P{"app_id": wiki.id, "profile": "fapi2"}).OK()
		push := func(jti string, more P, ahead int64) *harness.Reply {
			claims := assertion(h, wiki.slug)
			claims["jti"], claims["nbf"], claims["iat"] = jti, h.Clock.Now().Unix()+ahead, h.Clock.Now().Unix()
			params := request(more)
			params["client_assertion_type"], params["client_assertion"] = assertionType, holder.Sign(P{"alg": "ES256"}, claims)
			return h.Anonymous().Do("OAUTH.REQUEST_PUSH", params)
		}
		push("a", nil, 0).OK()
		push("b", nil, 8).OK()
		push("c", nil, 61).Fails(fault.Auth)
		refused(t, "no redirect_uri", push("d", P{"redirect_uri": nil}, 0).Fails(fault.Validation), oauth.InvalidRequest)
		refused(t, "no redirect_uri in the object", push("e", P{"request": holder.Sign(objectHeader(), object(h, P{"redirect_uri": nil}))}, 0).Fails(fault.Validation), oauth.InvalidRequest)
	})
}

// People agree to a client of FAPI 2.0 in each of their sessions, and may refuse; to other clients
// they agree once.
func TestConsentOfFAPI(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		wiki, holder := wiki(ada), h.Holder()
		codeOf(t, ada, nil)
		later := h.Login("ada@example.com", harness.Password)
		if opened := later.Do("OAUTH.AUTHORIZE", request(nil)).OK(); opened.Has("consent_required") {
			t.Errorf("another client in another session: %v", opened.Data)
		}
		ada.Do("APP.SET_JWKS", P{"app_id": wiki.id, "jwks": P{"keys": []P{holder.JWK()}}}).OK()
		ada.Do("APP.UPDATE", P{"app_id": wiki.id, "profile": "fapi2"}).OK()
		open := func(by *harness.Actor) *harness.Reply {
			claims := assertion(h, wiki.slug)
			claims["jti"] = rand.Text()
			pushed := request(P{"client_assertion_type": assertionType, "client_assertion": holder.Sign(P{"alg": "ES256"}, claims)})
			return by.Do("OAUTH.AUTHORIZE", P{"client_id": wiki.slug, "request_uri": h.Anonymous().Do("OAUTH.REQUEST_PUSH", pushed).OK().String("request_uri")}).OK()
		}
		decide := func(by *harness.Actor, opened *harness.Reply, approve bool) string {
			if !opened.Has("consent_required") {
				t.Errorf("a client of FAPI 2.0 in a new session: %v", opened.Data)
			}
			return answered(t, by.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": approve}).OK()).Get("error")
		}
		third := h.Login("ada@example.com", harness.Password)
		if got := decide(third, open(third), false); got != oauth.AccessDenied {
			t.Errorf("a refusal: %q", got)
		}
		if got := decide(third, open(third), true); got != "" {
			t.Errorf("an approval: %q", got)
		}
		if opened := open(third); opened.Has("consent_required") {
			t.Errorf("the same session again: %v", opened.Data)
		}
	})
}

// The access token of a login names its class, as that of a client does (RFC 9068 section 2.2.1).
func TestContextOfAccessTokens(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	app := wiki(ada)
	of := map[string]string{"login": ada.AccessToken, "client": app.redeem(h, codeOf(t, ada, nil)).OK().String("access_token")}
	for name, token := range of {
		if claims := part(t, token, 1); claims["acr"] != oauth.OneFactor {
			t.Errorf("%s: acr is %v", name, claims["acr"])
		}
	}
}
