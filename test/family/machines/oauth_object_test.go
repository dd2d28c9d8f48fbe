package machines_test

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/test/harness"
)

// signing sets a key for the wiki, and returns its holder.
func signing(h *harness.Service, by *harness.Actor, app oauthMachine) *harness.Holder {
	holder := h.Holder()
	by.Do("APP.SET_JWKS", P{"app_id": app.id, "jwks": P{"keys": []P{holder.JWK()}}}).OK()
	return holder
}

// object is what a request object of the wiki holds, with changes; nil takes a member away.
func object(h *harness.Service, more P) P {
	claims := request(P{"iss": "wiki", "aud": harness.Issuer, "exp": h.Clock.Now().Unix() + 60})
	for name, value := range more {
		if claims[name] = value; value == nil {
			delete(claims, name)
		}
	}
	return claims
}

// objectHeader is that of request objects (RFC 9101 section 10.8).
func objectHeader() P { return P{"alg": "ES256", "typ": "oauth-authz-req+jwt"} }

// A request that its client signed is answered by what stands in it alone, on whichever replica,
// and pushed as well (RFC 9101 section 6.3, RFC 9126 section 3).
func TestSignedRequests(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		app := wiki(ada)
		holder := signing(here, ada, app)
		outside := P{"client_id": "wiki", "scope": "openid profile email users:read roles", "state": "another", "redirect_uri": "https://evil.example.com", "prompt": "none"}
		for name, header := range map[string]P{"typed": objectHeader(), "untyped": {"alg": "ES256"}} {
			sent := P{"request": holder.Sign(header, object(here, P{"max_age": 3600, "nonce": name}))}
			for key, value := range outside {
				sent[key] = value
			}
			opened := there.With(ada.AccessToken).Do("OAUTH.AUTHORIZE", sent).OK()
			if opened.Has("consent_required") {
				opened = ada.Do("OAUTH.CONSENT_DECIDE", P{"request_id": opened.String("request_id"), "approve": true})
			}
			back := answered(t, opened)
			if back.Get("state") != "xyz" {
				t.Errorf("%s: the answer %v", name, back)
			}
			tokens := app.redeem(here, back.Get("code")).OK()
			if got := claimsOf(t, tokens.String("id_token")); got["nonce"] != name || got["roles"] != nil {
				t.Errorf("%s: the ID token %v", name, got)
			}
		}
		pushed := here.Anonymous().Do("OAUTH.REQUEST_PUSH", P{"client_id": "wiki", "client_secret": app.secret, "request": holder.Sign(objectHeader(), object(here, nil)), "state": "another"}).OK()
		here.Clock.Advance(0)
		if back := answered(t, there.With(ada.AccessToken).Do("OAUTH.AUTHORIZE", P{"client_id": "wiki", "request_uri": pushed.String("request_uri")})); back.Get("state") != "xyz" || back.Get("code") == "" {
			t.Errorf("pushed: the answer %v", back)
		}
	})
}

// Whatever is wrong with a request object is told the client, at the address that it registered;
// nobody else is let in by it (RFC 9101 section 10).
func TestRequestObjectsAreRefused(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada := h.SignUp("ada@example.com")
		app := wiki(ada)
		holder, stranger := signing(h, ada, app), h.Holder()
		other := oauthRegister(ada, "other", P{"type": "web", "redirect_urls": []string{callback}})
		others := signing(h, ada, other)
		codeOf(t, ada, nil) // so that nobody is asked
		long, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		byRSA, _ := signedRS256(t, long, object(h, nil))
		plain := func(header P) string {
			raw := ""
			for _, part := range []P{header, object(h, nil)} {
				text, err := json.Marshal(part)
				if err != nil {
					t.Fatal(err)
				}
				raw += base64.RawURLEncoding.EncodeToString(text) + "."
			}
			return raw
		}
		now := h.Clock.Now().Unix()
		good := holder.Sign(objectHeader(), object(h, nil))
		for name, c := range map[string]struct{ object, want string }{
			"alg none":               {plain(P{"alg": "none"}), oauth.RequestNotSupported},
			"alg None, signed":       {plain(P{"alg": "NONE"}) + "AAAA", oauth.RequestNotSupported},
			"alg HS256":              {plain(P{"alg": "HS256"}) + "AAAA", oauth.InvalidRequestObject},
			"no signature":           {good[:strings.LastIndex(good, ".")+1], oauth.InvalidRequestObject},
			"another key":            {stranger.Sign(objectHeader(), object(h, nil)), oauth.InvalidRequestObject},
			"a key of another kind":  {byRSA, oauth.InvalidRequestObject},
			"the key of another app": {others.Sign(objectHeader(), object(h, nil)), oauth.InvalidRequestObject},
			"another app":            {others.Sign(objectHeader(), object(h, P{"iss": "other", "client_id": "other"})), oauth.InvalidRequestObject},
			"a typ of access tokens": {holder.Sign(P{"alg": "ES256", "typ": "at+jwt"}, object(h, nil)), oauth.InvalidRequestObject},
			"a typ of assertions":    {holder.Sign(P{"alg": "ES256", "typ": "client-authentication+jwt"}, object(h, nil)), oauth.InvalidRequestObject},
			"crit":                   {holder.Sign(P{"alg": "ES256", "crit": []string{"exp"}}, object(h, nil)), oauth.InvalidRequestObject},
			"a key in the header":    {stranger.Sign(P{"alg": "ES256", "jwk": stranger.JWK()}, object(h, nil)), oauth.InvalidRequestObject},
			"another issuer":         {holder.Sign(objectHeader(), object(h, P{"iss": "https://elsewhere.example.com"})), oauth.InvalidRequestObject},
			"no issuer":              {holder.Sign(objectHeader(), object(h, P{"iss": nil})), oauth.InvalidRequestObject},
			"another audience":       {holder.Sign(objectHeader(), object(h, P{"aud": "https://elsewhere.example.com"})), oauth.InvalidRequestObject},
			"no audience":            {holder.Sign(objectHeader(), object(h, P{"aud": nil})), oauth.InvalidRequestObject},
			"another client_id":      {holder.Sign(objectHeader(), object(h, P{"client_id": "other"})), oauth.InvalidRequestObject},
			"no client_id":           {holder.Sign(objectHeader(), object(h, P{"client_id": nil})), oauth.InvalidRequestObject},
			"expired":                {holder.Sign(objectHeader(), object(h, P{"exp": now})), oauth.InvalidRequestObject},
			"without an end":         {holder.Sign(objectHeader(), object(h, P{"exp": nil})), oauth.InvalidRequestObject},
			"not yet":                {holder.Sign(objectHeader(), object(h, P{"nbf": now + 61})), oauth.InvalidRequestObject},
			"an object in it":        {holder.Sign(objectHeader(), object(h, P{"request": good})), oauth.InvalidRequestObject},
			"a request_uri in it":    {holder.Sign(objectHeader(), object(h, P{"request_uri": "https://a.test"})), oauth.InvalidRequestObject},
			"a client assertion":     {holder.Sign(P{"alg": "ES256"}, assertion(h, "wiki")), oauth.InvalidRequestObject},
			"a sub that is the app":  {holder.Sign(objectHeader(), object(h, P{"sub": "wiki"})), oauth.InvalidRequestObject},
			"a number for a text":    {holder.Sign(objectHeader(), object(h, P{"scope": 7})), oauth.InvalidRequestObject},
			"no JWT":                 {"x", oauth.InvalidRequestObject},
			"no scope that it asked": {holder.Sign(objectHeader(), object(h, P{"response_type": nil})), oauth.InvalidRequest},
		} {
			back := answered(t, ada.Do("OAUTH.AUTHORIZE", request(P{"request": c.object})))
			if back.Get("error") != c.want || back.Get("code") != "" {
				t.Errorf("%s: the answer %v, want %s", name, back, c.want)
			}
			pushed := h.Anonymous().Do("OAUTH.REQUEST_PUSH", request(P{"client_secret": app.secret, "request": c.object})).Fails(fault.Validation)
			refused(t, name+", pushed", pushed, c.want)
		}
		for name, more := range map[string]P{"in time": {"nbf": now + 60, "iat": now + 60}, "a list of audiences": {"aud": []string{"x", harness.Issuer}}} {
			if back := answered(t, ada.Do("OAUTH.AUTHORIZE", request(P{"request": holder.Sign(objectHeader(), object(h, more))}))); back.Get("code") == "" {
				t.Errorf("%s: the answer %v", name, back)
			}
		}
		twice := P{"client_id": "wiki", "request": good, "request_uri": "urn:ietf:params:oauth:request_uri:x"}
		ada.Do("OAUTH.AUTHORIZE", twice).Fails(fault.Validation)
		twice["redirect_uri"] = callback
		if back := answered(t, ada.Do("OAUTH.AUTHORIZE", twice)); back.Get("error") != oauth.InvalidRequest {
			t.Errorf("an object in two ways: %v", back)
		}
		ada.Do("OAUTH.AUTHORIZE", P{"client_id": "wiki", "request": holder.Sign(objectHeader(), object(h, P{"redirect_uri": "https://evil.example.com"}))}).Fails(fault.Validation)
		ada.Do("OAUTH.AUTHORIZE", P{"client_id": "nobody", "request": good}).Fails(fault.NotFound)
		// A request object is no client assertion.
		h.Anonymous().Do("OAUTH.REQUEST_PUSH", request(P{"client_assertion": good, "client_assertion_type": assertionType})).Fails(fault.Auth)
	})
}
