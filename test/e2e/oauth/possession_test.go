package oauth_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"maps"
	"math/big"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/test/e2e/instance"
	"gatehouse.internal/test/harness"
)

const proofType = "dpop+jwt"

// about are the claims of a proof for a call, and for the token that goes with it.
func about(t testing.TB, token string) P {
	t.Helper()
	return instance.ClaimsOf(t, harness.NewHolder(t, system.Clock{}).Proof("POST", instance.Endpoint, token))
}

// forgedClaims are changes of a right proof that make it one for something else (RFC
// 9449 section 4.3, checks 3, 8, 9, 11 and 12).
func forgedClaims(token string) map[string]P {
	now := time.Now().Unix()
	changes := map[string]P{
		"no jti": {"jti": nil}, "an empty jti": {"jti": ""}, "a jti that is a number": {"jti": 7}, "a long jti": {"jti": strings.Repeat("x", 257)},
		"no htm": {"htm": nil}, "another method": {"htm": "GET"}, "the method in small letters": {"htm": "post"}, "methods": {"htm": []string{"POST"}},
		"no htu": {"htu": nil}, "another path": {"htu": instance.Issuer + "/api/m2m/token"}, "another host": {"htu": "http://evil.test/api/v1/execute"},
		"another scheme": {"htu": strings.Replace(instance.Endpoint, "http:", "https:", 1)}, "another port": {"htu": "http://gatehouse.test:8080/api/v1/execute"},
		"the address it listens at": {"htu": "http://127.0.0.1/api/v1/execute"}, "a path alone": {"htu": "/api/v1/execute"}, "with a user": {"htu": "http://gatehouse.test@evil.test/api/v1/execute"},
		"a slash more": {"htu": instance.Endpoint + "/"}, "no iat": {"iat": nil}, "an iat in words": {"iat": "now"}, "two minutes old": {"iat": now - 120},
		"of two minutes ahead": {"iat": now + 120}, "of the beginning": {"iat": 0}, "without end": {"iat": 1e300},
	}
	if token != "" {
		changes["no ath"] = P{"ath": nil}
		changes["the ath of another token"] = P{"ath": instance.Encoded(make([]byte, 32))}
		changes["the token for its hash"] = P{"ath": token}
		changes["ath a list"] = P{"ath": []string{instance.Encoded(make([]byte, 32))}}
	}
	return changes
}

// forgedHeaders are proofs whose header or signature is wrong (checks 2, 4, 5, 6
// and 7).
func forgedHeaders(t testing.TB, by *harness.Holder, claims P) map[string]string {
	t.Helper()
	jwk := by.JWK()
	good := P{"typ": proofType, "alg": "ES256", "jwk": jwk}
	stranger := harness.NewHolder(t, system.Clock{})
	right := by.Sign(good, claims)
	input := right[:strings.LastIndex(right, ".")+1]
	forged := map[string]string{
		"no JWS": "nonsense", "two parts": right[:strings.LastIndex(right, ".")], "four parts": right + ".AAAA",
		"no signature": input, "a signature of zeros": input + instance.Encoded(make([]byte, 64)), "a signature cut": right[:len(right)-2],
		"signed by another": input + strings.Split(stranger.Sign(good, claims), ".")[2],
		"two proofs":        right + ", " + right, "with a quote": `"` + right + `"`, "of nine kilobytes": by.Sign(good, instance.With(claims, P{"x": strings.Repeat("x", 9<<10)})),
		"none":                mint(t, instance.With(good, P{"alg": "none"}), claims, func([]byte) []byte { return nil }),
		"HS256 under the key": mint(t, instance.With(good, P{"alg": "HS256"}), claims, byHMAC(instance.JSONOf(t, jwk))),
		"a symmetric key":     mint(t, P{"typ": proofType, "alg": "HS256", "jwk": P{"kty": "oct", "k": "AAAA"}}, claims, byHMAC([]byte{0, 0, 0})),
		"a private key":       by.Sign(instance.With(good, P{"jwk": instance.With(jwk, P{"d": instance.Encoded(make([]byte, 32))})}), claims),
		"off the curve":       by.Sign(instance.With(good, P{"jwk": instance.With(jwk, P{"y": jwk["x"]})}), claims),
		"another curve":       by.Sign(instance.With(good, P{"jwk": instance.With(jwk, P{"crv": "P-384"})}), claims),
		"a key that is null":  by.Sign(instance.With(good, P{"jwk": []any{nil}}), claims),
	}
	for name, change := range map[string]P{
		"no typ": {"typ": nil}, "typ JWT": {"typ": "JWT"}, "typ at+jwt": {"typ": "at+jwt"}, "no alg": {"alg": nil}, "alg RS256": {"alg": "RS256"}, "alg ES384": {"alg": "ES384"},
		"no jwk": {"jwk": nil}, "kid for jwk": {"jwk": nil, "kid": "1"}, "crit": {"crit": []string{"exp"}}, "jku": {"jku": "http://127.0.0.1:1/"}, "x5c": {"x5c": []string{"AAAA"}},
		"b64": {"b64": false}, "zip": {"zip": "DEF"},
	} {
		forged["header: "+name] = by.Sign(instance.With(good, change), claims)
	}
	return forged
}

// TestForgedProofs sends proofs that are wrong in every way of RFC 9449 section 4.3
// to fetch a token, and to use one.
func TestForgedProofs(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		one, other := s.First(), s.Last()
		admin := one.Admin()
		one.Wide(admin)
		app, holder := one.Machine(admin, "apps:read"), one.Holder()
		client := P{"client_id": app.Slug, "client_secret": app.Secret}
		token := one.Sending("M2M.TOKEN", client, "DPoP="+holder.Proof("POST", instance.Endpoint, "")).Text("access_token")
		fetch := func(r *instance.Replica, proofs ...string) *instance.Reply {
			return r.Sending("M2M.TOKEN", client, named("DPoP=", proofs)...)
		}
		use := func(r *instance.Replica, proofs ...string) *instance.Reply {
			return r.Sending("APP.LIST", nil, append(named("DPoP=", proofs), "Authorization=DPoP "+token)...)
		}
		for what, door := range map[string]struct {
			open  func(r *instance.Replica, proofs ...string) *instance.Reply
			token string
		}{"fetch": {fetch, ""}, "use": {use, token}} {
			// All of them have one jti, and time enough for a slow machine.
			claims := instance.With(about(t, door.token), P{"iat": time.Now().Unix() + 30})
			forged := forgedHeaders(t, holder, claims)
			for name, change := range forgedClaims(door.token) {
				forged[name] = holder.Sign(P{"typ": proofType, "alg": "ES256", "jwk": holder.JWK()}, instance.With(claims, change))
			}
			at := 0
			for name, proof := range forged {
				answer := door.open(s.Any(at), proof)
				if answer.Code() != "AUTH_ERROR" || !strings.HasPrefix(answer.Envelope.Error.Message, "invalid_dpop_proof: ") {
					t.Errorf("%s, %s: %v %d %s", what, name, answer.Err, answer.Status, answer.Body)
				}
				at++
			}
			fresh := func() string { return holder.Proof("POST", instance.Endpoint, door.token) }
			door.open(other, fresh(), fresh()).Fails("AUTH_ERROR")
			door.open(other, "").Fails("AUTH_ERROR")
			right := holder.Sign(P{"typ": proofType, "alg": "ES256", "jwk": holder.JWK()}, claims)
			door.open(other, right).OK() // none of them used it up
			door.open(one, right).Fails("AUTH_ERROR")
		}
		use(other, one.Holder().Proof("POST", instance.Endpoint, token)).Fails("AUTH_ERROR")
		use(other).Fails("AUTH_ERROR")
		other.Sending("APP.LIST", nil, "Authorization=Bearer "+token, "DPoP="+holder.Proof("POST", instance.Endpoint, token)).Fails("TOKEN_INVALID")
		other.Sending("APP.LIST", nil, "Authorization=DPoP "+app.Token(one), "DPoP="+holder.Proof("POST", instance.Endpoint, token)).Fails("TOKEN_INVALID")
	})
}

func named(name string, values []string) []string {
	headers := make([]string, len(values))
	for i, value := range values {
		headers[i] = name + value
	}
	return headers
}

// TestRightProofs holds what a proof may be.
func TestRightProofs(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		one, other := s.First(), s.Last()
		admin := one.Admin()
		app := one.Machine(admin)
		client := P{"client_id": app.Slug, "client_secret": app.Secret}
		public, edwards, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		long, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		holder, now := one.Holder(), time.Now().Unix()
		header := P{"typ": proofType, "alg": "ES256", "jwk": holder.JWK()}
		proofs := map[string]string{
			"EdDSA": mint(t, P{"typ": proofType, "alg": "EdDSA", "jwk": P{"kty": "OKP", "crv": "Ed25519", "x": instance.Encoded(public)}}, about(t, ""),
				func(input []byte) []byte { return ed25519.Sign(edwards, input) }),
			"RS256": mint(t, P{"typ": proofType, "alg": "RS256", "jwk": P{
				"kty": "RSA", "n": instance.Encoded(long.N.Bytes()), "e": instance.Encoded(big.NewInt(int64(long.E)).Bytes()),
			}}, about(t, ""), byRSA(t, long)),
		}
		for name, change := range map[string]P{
			"a query": {"htu": instance.Endpoint + "?a=b#c"}, "other letters": {"htu": "HTTP://GateHouse.Test:80/api/./v1/execut%65"}, "30 s old": {"iat": now - 30}, "50 s ahead": {"iat": now + 50},
			"a fraction": {"iat": float64(now) + 0.25}, "more in it": {"nonce": "x", "scope": "y"}, "a jti of 256 characters": {"jti": strings.Repeat("é", 256)},
		} {
			proofs[name] = holder.Sign(header, instance.With(about(t, ""), change))
		}
		for name, proof := range maps.Clone(proofs) {
			answer := other.Sending("M2M.TOKEN", client, "DPoP="+proof)
			if answer.Code() != "OK" || answer.Value("token_type") != "DPoP" {
				t.Errorf("%s: %d %s", name, answer.Status, answer.Body)
			}
		}
		// What was used stays so when all replicas start anew.
		s.Restart()
		for name, proof := range proofs {
			if answer := s.Last().Sending("M2M.TOKEN", client, "DPoP="+proof); answer.Code() != "AUTH_ERROR" {
				t.Errorf("%s, after a restart: %d %s", name, answer.Status, answer.Body)
			}
		}
	})
}

// TestWhatWorksOnce presents one proof, and one assertion, many times at once.
func TestWhatWorksOnce(t *testing.T) {
	instance.OnBoth(t, func(t *testing.T, on instance.Store) {
		s := instance.Open(t, on)
		one := s.First()
		admin := one.Admin()
		one.Wide(admin)
		app, holder := one.Machine(admin, "apps:read"), one.Holder()
		one.Change(admin, app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{holder.JWK()}}})
		client := P{"client_id": app.Slug, "client_secret": app.Secret}
		token := one.Sending("M2M.TOKEN", client, "DPoP="+holder.Proof("POST", instance.Endpoint, "")).Text("access_token")
		const many = 40
		for range 5 {
			fetching, using, looking := holder.Proof("POST", instance.Endpoint, ""), holder.Proof("POST", instance.Endpoint, token), holder.Proof("GET", instance.Endpoint, "")
			mixed, asserted := holder.Proof("POST", instance.Endpoint, ""), app.Assertion(holder, nil)
			fetch := func(r *instance.Replica, proof string) *instance.Reply {
				return r.Sending("M2M.TOKEN", client, "DPoP="+proof)
			}
			for name, present := range map[string]func(r *instance.Replica, i int) *instance.Reply{
				"a proof to fetch a token": func(r *instance.Replica, _ int) *instance.Reply { return fetch(r, fetching) },
				"a proof to use a token":   func(r *instance.Replica, _ int) *instance.Reply { return r.Proving(token, using, "APP.LIST") },
				"an assertion":             func(r *instance.Replica, _ int) *instance.Reply { return app.Asserts(r, asserted) },
				"a proof to look at": func(r *instance.Replica, _ int) *instance.Reply {
					return r.As(admin, "DPOP.VERIFY", P{"proof": looking, "method": "GET", "url": instance.Endpoint})
				},
				"a proof at two doors": func(r *instance.Replica, i int) *instance.Reply {
					if i/2%2 == 0 {
						return fetch(r, mixed)
					}
					return r.As(admin, "DPOP.VERIFY", P{"proof": mixed, "method": "POST", "url": instance.Endpoint})
				},
			} {
				passed := 0
				for _, answer := range instance.Together(many, func(i int) *instance.Reply { return present(s.Any(i), i) }) {
					valid, looked := answer.Value("valid").(bool)
					switch code := answer.Code(); {
					case code == "OK" && (!looked || valid):
						passed++
					case code != "AUTH_ERROR" && !looked:
						t.Errorf("%s: %v %d %s", name, answer.Err, answer.Status, answer.Body)
					}
				}
				if passed != 1 {
					t.Errorf("%s passed %d times of %d, want once", name, passed, many)
				}
			}
		}
	})
}
