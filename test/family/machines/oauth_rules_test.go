package machines_test

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/test/harness"
)

// refusal is the error that an answer takes to the client.
func refusal(t *testing.T, by *harness.Actor, more P) string {
	t.Helper()
	return answered(t, by.Do("OAUTH.AUTHORIZE", request(more))).Get("error")
}

// An app that says so does without PKCE, and then no verifier fits its codes; a public one may
// not say so.
func TestWithoutPKCE(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		wiki := wiki(ada)
		without := P{"code_challenge": nil, "code_challenge_method": nil}
		if got := refusal(t, ada, without); got != oauth.InvalidRequest {
			t.Errorf("without a challenge: %q", got)
		}
		if shown := ada.Do("APP.UPDATE", P{"app_id": wiki.id, "require_pkce": false}).OK(); shown.Bool("app.require_pkce") {
			t.Errorf("the app: %v", shown.Data)
		}
		wiki.redeem(there, codeOf(t, ada, without)).Fails(fault.Validation) // with a verifier
		params := P{"grant_type": "authorization_code", "client_id": wiki.slug, "client_secret": wiki.secret, "redirect_uri": callback}
		params["code"] = codeOf(t, ada, nil)
		there.Anonymous().Do("OAUTH.TOKEN", params).Fails(fault.Validation) // the challenge is stripped of nothing
		params["code"] = codeOf(t, ada, without)
		there.Anonymous().Do("OAUTH.TOKEN", params).OK()
		for _, kind := range []app.Type{app.SPA, app.Native} {
			ada.Do("APP.REGISTER", P{"name": "x", "slug": "x-" + string(kind), "type": kind, "require_pkce": false}).Fails(fault.Validation)
		}
	})
}

// An app that pushes its requests is answered no others.
func TestPushesOnly(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		wiki := wiki(ada)
		ada.Do("APP.UPDATE", P{"app_id": wiki.id, "require_par": true}).OK()
		if got := refusal(t, ada, nil); got != oauth.InvalidRequest {
			t.Errorf("a request that was not pushed: %q", got)
		}
		params := request(P{"client_secret": wiki.secret})
		pushed := h.Anonymous().Do("OAUTH.REQUEST_PUSH", params).OK().String("request_uri")
		if opened := ada.Do("OAUTH.AUTHORIZE", P{"client_id": "wiki", "request_uri": pushed}).OK(); !opened.Bool("consent_required") {
			t.Errorf("a request that was pushed: %v", opened.Data)
		}
	})
}

// Whoever runs the instance has people signed in unasked, and nobody else.
func TestSkipConsent(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		ada.Do("APP.UPDATE", P{"app_id": wiki(ada).id, "skip_consent": true}).Fails(fault.Denied)
		oauthRegister(h.Superadmin(), "intranet", P{"type": "web", "redirect_urls": []string{callback}, "skip_consent": true})
		if got := answered(t, ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": "intranet"}))); got.Get("code") == "" {
			t.Errorf("the answer: %v", got)
		}
	})
}

// An app by DPoP alone gets no token that somebody could use who steals it.
func TestDPoPBound(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		wiki, worker := wiki(ada), oauthRegister(ada, "worker", P{"dpop_bound_access_tokens": true})
		ada.Do("APP.UPDATE", P{"app_id": wiki.id, "dpop_bound_access_tokens": true}).OK()
		refused(t, "a code without a proof", wiki.redeem(h, codeOf(t, ada, nil)).Fails(fault.Auth), "invalid_request")
		refused(t, "an M2M token without a proof", worker.ask(h, "", nil).Fails(fault.Auth), "invalid_request")
	})
}

// signedRS256 is a token of claims, by an RSA key, with the key as a JWK.
func signedRS256(t *testing.T, key *rsa.PrivateKey, claims P) (text string, jwk P) {
	t.Helper()
	encoded := func(value P) string {
		raw, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		return base64.RawURLEncoding.EncodeToString(raw)
	}
	text = encoded(P{"alg": "RS256"}) + "." + encoded(claims)
	digest := sha256.Sum256([]byte(text))
	signature, err := rsa.SignPKCS1v15(nil, key, crypto.SHA256, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	jwk = P{"kty": "RSA", "alg": "RS256", "n": base64.RawURLEncoding.EncodeToString(key.N.Bytes()), "e": "AQAB"}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature), jwk
}

// A client authenticates as it registered to, and by nothing else.
func TestAuthMethods(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		holder, worker := h.Holder(), oauthRegister(ada, "worker", P{"scopes": []string{"tokens:introspect"}})
		long, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		_, jwk := signedRS256(t, long, nil)
		ada.Do("APP.SET_JWKS", P{"app_id": worker.id, "jwks": P{"keys": []P{holder.JWK(), jwk}}}).OK()
		signings := 0
		signed := func(more P) inbound.ClientCredentials {
			signings++
			claims := assertion(h, "worker")
			claims["jti"] = strconv.Itoa(signings)
			for name, value := range more {
				claims[name] = value
			}
			return inbound.ClientCredentials{ID: "worker", AssertionType: assertionType, Assertion: secret.New(holder.Sign(P{"alg": "ES256"}, claims))}
		}
		byRSA := func() inbound.ClientCredentials {
			signings++
			claims := assertion(h, "worker")
			claims["jti"] = strconv.Itoa(signings)
			text, _ := signedRS256(t, long, claims)
			return inbound.ClientCredentials{ID: "worker", AssertionType: assertionType, Assertion: secret.New(text)}
		}
		try := func(by inbound.ClientCredentials) bool {
			return h.Client(by).Do("OAUTH.INTROSPECT", P{"token": "x"}).Failure == nil
		}
		bySecret := inbound.ClientCredentials{ID: "worker", Secret: secret.New(worker.secret)}
		elsewhere := P{"aud": harness.Issuer + "/oauth/token"}
		for _, test := range []struct {
			rules                                     P
			secret, assertion, list, elsewhere, rs256 bool
		}{
			{P{}, true, true, true, true, true},
			{P{"token_endpoint_auth_method": "client_secret_basic"}, true, false, false, false, false},
			{P{"token_endpoint_auth_method": "private_key_jwt"}, false, true, true, true, true},
			{P{"profile": "fapi2"}, false, true, false, false, false},
		} {
			test.rules["app_id"] = worker.id
			ada.Do("APP.UPDATE", test.rules).OK()
			got := [5]bool{try(bySecret), try(signed(nil)), try(signed(P{"aud": []string{harness.Issuer}})), try(signed(elsewhere)), try(byRSA())}
			if got != [5]bool{test.secret, test.assertion, test.list, test.elsewhere, test.rs256} {
				t.Errorf("%v: secret, assertion, a list of audiences, the token endpoint, RS256 = %v", test.rules, got)
			}
		}
		ada.Do("APP.UPDATE", P{"app_id": worker.id, "token_endpoint_auth_method": "none"}).Fails(fault.Validation)
		ada.Do("APP.UPDATE", P{"app_id": worker.id, "require_pkce": false}).Fails(fault.Validation)
	})
}

// Two hosts know somebody by names that nobody can bring together, and each by the same name
// everywhere.
func TestPairwiseSubjects(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		const elsewhere = "https://other.example.com/cb"
		wiki := wiki(ada)
		other := oauthRegister(ada, "other", P{"type": "web", "redirect_urls": []string{elsewhere}, "subject_type": "pairwise", "logout_urls": []string{elsewhere}})
		ada.Do("APP.UPDATE", P{"app_id": wiki.id, "redirect_urls": []string{callback, elsewhere}, "subject_type": "pairwise"}).Fails(fault.Validation)
		ada.Do("APP.UPDATE", P{"app_id": wiki.id, "subject_type": "pairwise"}).OK()

		known := map[string]bool{ada.UserID: true}
		for _, of := range []oauthMachine{wiki, other} {
			at := map[string]string{"wiki": callback, "other": elsewhere}[of.slug]
			opened := ada.Do("OAUTH.AUTHORIZE", request(P{"client_id": of.slug, "redirect_uri": at})).OK()
			back, err := url.Parse(ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true}).OK().String("redirect_to"))
			if err != nil {
				t.Fatal(err)
			}
			tokens := h.Anonymous().Do("OAUTH.TOKEN", P{
				"grant_type": "authorization_code", "client_id": of.slug, "client_secret": of.secret, "code": back.Query().Get("code"), "redirect_uri": at, "code_verifier": verifier,
			}).OK()
			name := oauthClaims(t, tokens)["sub"].(string)
			if known[name] {
				t.Errorf("%s knows %s, as others do", of.slug, name)
			}
			known[name] = true
			if len(name) > 255 || strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) {
				t.Errorf("%s knows %q, which is no subject", of.slug, name)
			}
			if subject := h.With(tokens.String("access_token")).Do("OAUTH.USERINFO", nil).OK().String("sub"); subject != name {
				t.Errorf("userinfo says %s, the token %s", subject, name)
			}
			if of.slug == "other" {
				left := ada.Do("OAUTH.END_SESSION", P{"id_token_hint": tokens.String("id_token"), "post_logout_redirect_uri": elsewhere}).OK()
				if left.Has("confirmation_required") {
					t.Errorf("a hint with a pairwise name: %v", left.Data)
				}
			}
		}
	})
}
