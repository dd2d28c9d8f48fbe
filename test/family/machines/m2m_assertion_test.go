package machines_test

import (
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

const assertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// signer is a client that signs assertions.
type signer struct {
	*harness.Holder

	h    *harness.Service
	made int
}

// assertion is one that is right, but for the changes; a nil takes a claim away.
func (s *signer) assertion(changes P) string {
	s.made++
	now := s.h.Clock.Now().Unix()
	return s.Sign(P{"alg": "ES256", "typ": "JWT"}, with(P{
		"iss": "worker", "sub": "worker", "aud": endpoint, "jti": fmt.Sprint(s.made), "iat": now, "exp": now + 300,
	}, changes))
}

// asserting asks for a token by an assertion.
func asserting(h *harness.Service, client, text string) *harness.Reply {
	return h.Anonymous().Do("M2M.TOKEN", P{"client_id": client, "client_assertion": text, "client_assertion_type": assertionType})
}

func TestTokenByAssertion(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("ada@example.com")
	m, other := m2mRegister(h, owner, "worker", nil), m2mRegister(h, owner, "other", nil)
	s := &signer{Holder: h.Holder(), h: h}
	jwk := with(s.JWK(), P{"kid": "one"})
	set := P{"jwks": P{"keys": []P{h.Holder().JWK(), jwk}}}
	asserting(h, "worker", s.assertion(nil)).Fails(fault.Auth)
	m.change("APP.SET_JWKS", set)
	other.change("APP.SET_JWKS", set)
	now := h.Clock.Now().Unix()
	for name, text := range map[string]string{
		"for the endpoint":   s.assertion(nil),
		"for the issuer":     s.assertion(P{"aud": harness.Issuer}),
		"for several":        s.assertion(P{"aud": []string{harness.Issuer, endpoint}}),
		"ten minutes":        s.assertion(P{"exp": now + 600}),
		"no iat":             s.assertion(P{"iat": nil}),
		"a clock ahead":      s.assertion(P{"iat": now + 60, "nbf": now + 60}),
		"a fraction":         s.assertion(P{"exp": float64(now) + 30.5}),
		"with more in it":    s.assertion(P{"scope": "apps:read"}),
		"with its kid":       s.Sign(P{"alg": "ES256", "kid": "one"}, P{"iss": "worker", "sub": "worker", "aud": endpoint, "jti": "kid", "exp": now + 60}),
		"a jti of 256 bytes": s.assertion(P{"jti": fmt.Sprintf("%0256d", 1)}),
	} {
		if got := asserting(h, "worker", text); got.Failure != nil {
			t.Errorf("%s: %v", name, got.Failure)
		}
	}
	secretless := m.owner.Do("APP.GET", P{"app_id": m.id}).List("secrets")
	m.change("APP.SECRET_REVOKE", P{"secret_id": secretless[0]["secret_id"]})
	m.ask(nil).Fails(fault.Auth)
	asserting(h, "worker", s.assertion(nil)).OK()
}

func TestTokenRefusesAssertions(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("ada@example.com")
	m, other, without := m2mRegister(h, owner, "worker", nil), m2mRegister(h, owner, "other", nil), m2mRegister(h, owner, "keyless", nil)
	s := &signer{Holder: h.Holder(), h: h}
	m.change("APP.SET_JWKS", P{"jwks": P{"keys": []P{s.JWK()}}})
	other.change("APP.SET_JWKS", P{"jwks": P{"keys": []P{s.JWK()}}})
	now := h.Clock.Now().Unix()
	used := s.assertion(P{"exp": now + 600})
	asserting(h, "worker", used).OK()
	before := issued(h)
	stranger := &signer{Holder: h.Holder(), h: h}
	messages := map[string]bool{}
	for name, refused := range map[string]*harness.Reply{
		"used before":           asserting(h, "worker", used),
		"of another client":     asserting(h, "other", s.assertion(nil)),
		"of no client":          asserting(h, "nobody", s.assertion(P{"iss": "nobody", "sub": "nobody"})),
		"of a client with none": asserting(h, without.slug, s.assertion(P{"iss": without.slug, "sub": without.slug})),
		"by another key":        asserting(h, "worker", stranger.assertion(nil)),
		"another issuer":        asserting(h, "worker", s.assertion(P{"iss": "other"})),
		"another subject":       asserting(h, "worker", s.assertion(P{"sub": "other"})),
		"no issuer":             asserting(h, "worker", s.assertion(P{"iss": nil})),
		"another audience":      asserting(h, "worker", s.assertion(P{"aud": "https://other.example.com"})),
		"another server too":    asserting(h, "worker", s.assertion(P{"aud": []string{endpoint, "https://other.example.com"}})),
		"audiences of nobody":   asserting(h, "worker", s.assertion(P{"aud": []string{}})),
		"a longer audience":     asserting(h, "worker", s.assertion(P{"aud": endpoint + "/"})),
		"a nested audience":     asserting(h, "worker", s.assertion(P{"aud": []any{[]string{endpoint}}})),
		"no audience":           asserting(h, "worker", s.assertion(P{"aud": nil})),
		"expired":               asserting(h, "worker", s.assertion(P{"exp": now})),
		"too long":              asserting(h, "worker", s.assertion(P{"exp": now + 601})),
		"no expiry":             asserting(h, "worker", s.assertion(P{"exp": nil})),
		"an expiry in words":    asserting(h, "worker", s.assertion(P{"exp": "later"})),
		"not valid yet":         asserting(h, "worker", s.assertion(P{"nbf": now + 120})),
		"of the future":         asserting(h, "worker", s.assertion(P{"iat": now + 120})),
		"no jti":                asserting(h, "worker", s.assertion(P{"jti": nil})),
		"an empty jti":          asserting(h, "worker", s.assertion(P{"jti": ""})),
		"a long jti":            asserting(h, "worker", s.assertion(P{"jti": fmt.Sprintf("%0257d", 1)})),
		"no signature":          asserting(h, "worker", s.Sign(P{"alg": "none"}, P{"iss": "worker"})),
		"another algorithm":     asserting(h, "worker", s.Sign(P{"alg": "HS256"}, P{"iss": "worker", "sub": "worker", "aud": endpoint, "jti": "x", "exp": now + 60})),
		"no assertion":          asserting(h, "worker", "a.b.c"),
	} {
		if refused.Failure == nil || refused.Failure.Code != fault.Auth {
			t.Errorf("%s: %v, %v", name, refused.Data, refused.Failure)
			continue
		}
		messages[refused.Failure.Message] = true
	}
	if len(messages) != 1 {
		t.Errorf("the answers differ: %v", messages)
	}
	if issued(h) != before {
		t.Error("a token was issued")
	}
	m.change("APP.UPDATE", P{"enabled": false})
	asserting(h, "worker", s.assertion(nil)).Fails(fault.Auth)
	m.change("APP.UPDATE", P{"enabled": true})
	m.change("APP.SET_JWKS", nil)
	asserting(h, "worker", s.assertion(nil)).Fails(fault.Auth)
}

// What an assertion says is used up for its own client alone, and until it expires
// at the least.
func TestAssertionWorksOnce(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("ada@example.com")
	m, other := m2mRegister(h, owner, "worker", nil), m2mRegister(h, owner, "other", nil)
	s := &signer{Holder: h.Holder(), h: h}
	m.change("APP.SET_JWKS", P{"jwks": P{"keys": []P{s.JWK()}}})
	other.change("APP.SET_JWKS", P{"jwks": P{"keys": []P{s.JWK()}}})
	text := s.assertion(P{"jti": "same", "exp": h.Clock.Now().Unix() + 600})
	const many = 8
	won := make(chan bool, many)
	for range many {
		go func() { won <- asserting(h, "worker", text).Failure == nil }()
	}
	count := 0
	for range many {
		if <-won {
			count++
		}
	}
	if count != 1 {
		t.Errorf("%d of %d parallel calls passed, want 1", count, many)
	}
	asserting(h, "other", s.assertion(P{"iss": "other", "sub": "other", "jti": "same"})).OK()
	h.Clock.Advance(599 * time.Second)
	asserting(h, "worker", text).Fails(fault.Auth)
}

// A dry run takes no assertion, and tells nobody by that which clients there are.
func TestAssertionsAreNotRehearsed(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("ada@example.com")
	given, published := m2mRegister(h, owner, "given", nil), m2mRegister(h, owner, "published", nil)
	m2mRegister(h, owner, "keyless", nil)
	s := &signer{Holder: h.Holder(), h: h}
	given.change("APP.SET_JWKS", P{"jwks": P{"keys": []P{s.JWK()}}})
	published.change("APP.SET_JWKS", P{"jwks_uri": "https://keys.example.com/jwks"})
	messages := map[string]bool{}
	for _, client := range []string{"given", "published", "keyless", "nobody"} {
		text := s.assertion(P{"iss": client, "sub": client})
		refused := h.Anonymous().DryRun().Do("M2M.TOKEN", P{"client_id": client, "client_assertion": text, "client_assertion_type": assertionType})
		messages[refused.Fails(fault.Validation).Failure.Message] = true
	}
	if len(messages) != 1 {
		t.Errorf("the answers differ: %v", messages)
	}
}
