package e2e_test

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
	"gatehouse.internal/test/harness"
)

const proofType = "dpop+jwt"

// about are the claims of a proof for a call, and for the token that goes with it.
func about(t testing.TB, token string) P {
	t.Helper()
	return claimsOf(t, harness.NewHolder(t, system.Clock{}).Proof("POST", here, token))
}

// forgedClaims are changes of a right proof that make it one for something else (RFC
// 9449 section 4.3, checks 3, 8, 9, 11 and 12).
func forgedClaims(token string) map[string]P {
	now := time.Now().Unix()
	changes := map[string]P{
		"no jti": {"jti": nil}, "an empty jti": {"jti": ""}, "a jti that is a number": {"jti": 7}, "a long jti": {"jti": strings.Repeat("x", 257)},
		"no htm": {"htm": nil}, "another method": {"htm": "GET"}, "the method in small letters": {"htm": "post"}, "methods": {"htm": []string{"POST"}},
		"no htu": {"htu": nil}, "another path": {"htu": issuer + "/api/m2m/token"}, "another host": {"htu": "http://evil.test/api/v1/execute"},
		"another scheme": {"htu": strings.Replace(here, "http:", "https:", 1)}, "another port": {"htu": "http://gatehouse.test:8080/api/v1/execute"},
		"the address it listens at": {"htu": "http://127.0.0.1/api/v1/execute"}, "a path alone": {"htu": "/api/v1/execute"}, "with a user": {"htu": "http://gatehouse.test@evil.test/api/v1/execute"},
		"a slash more": {"htu": here + "/"}, "no iat": {"iat": nil}, "an iat in words": {"iat": "now"}, "two minutes old": {"iat": now - 120},
		"of two minutes ahead": {"iat": now + 120}, "of the beginning": {"iat": 0}, "without end": {"iat": 1e300},
	}
	if token != "" {
		changes["no ath"] = P{"ath": nil}
		changes["the ath of another token"] = P{"ath": encoded(make([]byte, 32))}
		changes["the token for its hash"] = P{"ath": token}
		changes["ath a list"] = P{"ath": []string{encoded(make([]byte, 32))}}
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
		"no signature": input, "a signature of zeros": input + encoded(make([]byte, 64)), "a signature cut": right[:len(right)-2],
		"signed by another": input + strings.Split(stranger.Sign(good, claims), ".")[2],
		"two proofs":        right + ", " + right, "with a quote": `"` + right + `"`, "of nine kilobytes": by.Sign(good, with(claims, P{"x": strings.Repeat("x", 9<<10)})),
		"none":                mint(t, with(good, P{"alg": "none"}), claims, func([]byte) []byte { return nil }),
		"HS256 under the key": mint(t, with(good, P{"alg": "HS256"}), claims, byHMAC(jsonOf(t, jwk))),
		"a symmetric key":     mint(t, P{"typ": proofType, "alg": "HS256", "jwk": P{"kty": "oct", "k": "AAAA"}}, claims, byHMAC([]byte{0, 0, 0})),
		"a private key":       by.Sign(with(good, P{"jwk": with(jwk, P{"d": encoded(make([]byte, 32))})}), claims),
		"off the curve":       by.Sign(with(good, P{"jwk": with(jwk, P{"y": jwk["x"]})}), claims),
		"another curve":       by.Sign(with(good, P{"jwk": with(jwk, P{"crv": "P-384"})}), claims),
		"a key that is null":  by.Sign(with(good, P{"jwk": []any{nil}}), claims),
	}
	for name, change := range map[string]P{
		"no typ": {"typ": nil}, "typ JWT": {"typ": "JWT"}, "typ at+jwt": {"typ": "at+jwt"}, "no alg": {"alg": nil}, "alg RS256": {"alg": "RS256"}, "alg ES384": {"alg": "ES384"},
		"no jwk": {"jwk": nil}, "kid for jwk": {"jwk": nil, "kid": "1"}, "crit": {"crit": []string{"exp"}}, "jku": {"jku": "http://127.0.0.1:1/"}, "x5c": {"x5c": []string{"AAAA"}},
		"b64": {"b64": false}, "zip": {"zip": "DEF"},
	} {
		forged["header: "+name] = by.Sign(with(good, change), claims)
	}
	return forged
}

// TestForgedProofs sends proofs that are wrong in every way of RFC 9449 section 4.3
// to fetch a token, and to use one.
func TestForgedProofs(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		one, other := s.first(), s.last()
		admin := one.admin()
		one.wide(admin)
		app, holder := one.machine(admin, "apps:read"), one.holder()
		client := P{"client_id": app.slug, "client_secret": app.secret}
		token := one.sending("M2M.TOKEN", client, "DPoP="+holder.Proof("POST", here, "")).text("access_token")
		fetch := func(r *replica, proofs ...string) *reply {
			return r.sending("M2M.TOKEN", client, named("DPoP=", proofs)...)
		}
		use := func(r *replica, proofs ...string) *reply {
			return r.sending("APP.LIST", nil, append(named("DPoP=", proofs), "Authorization=DPoP "+token)...)
		}
		for what, door := range map[string]struct {
			open  func(r *replica, proofs ...string) *reply
			token string
		}{"fetch": {fetch, ""}, "use": {use, token}} {
			// All of them have one jti, and time enough for a slow machine.
			claims := with(about(t, door.token), P{"iat": time.Now().Unix() + 30})
			forged := forgedHeaders(t, holder, claims)
			for name, change := range forgedClaims(door.token) {
				forged[name] = holder.Sign(P{"typ": proofType, "alg": "ES256", "jwk": holder.JWK()}, with(claims, change))
			}
			at := 0
			for name, proof := range forged {
				answer := door.open(s.any(at), proof)
				if answer.code() != "AUTH_ERROR" || !strings.HasPrefix(answer.envelope.Error.Message, "invalid_dpop_proof: ") {
					t.Errorf("%s, %s: %v %d %s", what, name, answer.err, answer.status, answer.body)
				}
				at++
			}
			fresh := func() string { return holder.Proof("POST", here, door.token) }
			door.open(other, fresh(), fresh()).fails("AUTH_ERROR")
			door.open(other, "").fails("AUTH_ERROR")
			right := holder.Sign(P{"typ": proofType, "alg": "ES256", "jwk": holder.JWK()}, claims)
			door.open(other, right).ok() // none of them used it up
			door.open(one, right).fails("AUTH_ERROR")
		}
		use(other, one.holder().Proof("POST", here, token)).fails("AUTH_ERROR")
		use(other).fails("AUTH_ERROR")
		other.sending("APP.LIST", nil, "Authorization=Bearer "+token, "DPoP="+holder.Proof("POST", here, token)).fails("TOKEN_INVALID")
		other.sending("APP.LIST", nil, "Authorization=DPoP "+app.token(one), "DPoP="+holder.Proof("POST", here, token)).fails("TOKEN_INVALID")
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
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		one, other := s.first(), s.last()
		admin := one.admin()
		app := one.machine(admin)
		client := P{"client_id": app.slug, "client_secret": app.secret}
		public, edwards, err := ed25519.GenerateKey(rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		long, err := rsa.GenerateKey(rand.Reader, 2048)
		if err != nil {
			t.Fatal(err)
		}
		holder, now := one.holder(), time.Now().Unix()
		header := P{"typ": proofType, "alg": "ES256", "jwk": holder.JWK()}
		proofs := map[string]string{
			"EdDSA": mint(t, P{"typ": proofType, "alg": "EdDSA", "jwk": P{"kty": "OKP", "crv": "Ed25519", "x": encoded(public)}}, about(t, ""),
				func(input []byte) []byte { return ed25519.Sign(edwards, input) }),
			"RS256": mint(t, P{"typ": proofType, "alg": "RS256", "jwk": P{
				"kty": "RSA", "n": encoded(long.N.Bytes()), "e": encoded(big.NewInt(int64(long.E)).Bytes()),
			}}, about(t, ""), byRSA(t, long)),
		}
		for name, change := range map[string]P{
			"a query": {"htu": here + "?a=b#c"}, "other letters": {"htu": "HTTP://GateHouse.Test:80/api/./v1/execut%65"}, "30 s old": {"iat": now - 30}, "50 s ahead": {"iat": now + 50},
			"a fraction": {"iat": float64(now) + 0.25}, "more in it": {"nonce": "x", "scope": "y"}, "a jti of 256 characters": {"jti": strings.Repeat("é", 256)},
		} {
			proofs[name] = holder.Sign(header, with(about(t, ""), change))
		}
		for name, proof := range maps.Clone(proofs) {
			answer := other.sending("M2M.TOKEN", client, "DPoP="+proof)
			if answer.code() != "OK" || answer.value("token_type") != "DPoP" {
				t.Errorf("%s: %d %s", name, answer.status, answer.body)
			}
		}
		// What was used stays so when all replicas start anew.
		s.restart()
		for name, proof := range proofs {
			if answer := s.last().sending("M2M.TOKEN", client, "DPoP="+proof); answer.code() != "AUTH_ERROR" {
				t.Errorf("%s, after a restart: %d %s", name, answer.status, answer.body)
			}
		}
	})
}

// TestWhatWorksOnce presents one proof, and one assertion, many times at once.
func TestWhatWorksOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, on store) {
		s := open(t, on)
		one := s.first()
		admin := one.admin()
		one.wide(admin)
		app, holder := one.machine(admin, "apps:read"), one.holder()
		one.change(admin, app, "APP.SET_JWKS", P{"jwks": P{"keys": []P{holder.JWK()}}})
		client := P{"client_id": app.slug, "client_secret": app.secret}
		token := one.sending("M2M.TOKEN", client, "DPoP="+holder.Proof("POST", here, "")).text("access_token")
		const many = 40
		for range 5 {
			fetching, using, looking := holder.Proof("POST", here, ""), holder.Proof("POST", here, token), holder.Proof("GET", here, "")
			mixed, asserted := holder.Proof("POST", here, ""), app.assertion(holder, nil)
			fetch := func(r *replica, proof string) *reply { return r.sending("M2M.TOKEN", client, "DPoP="+proof) }
			for name, present := range map[string]func(r *replica, i int) *reply{
				"a proof to fetch a token": func(r *replica, _ int) *reply { return fetch(r, fetching) },
				"a proof to use a token":   func(r *replica, _ int) *reply { return r.proving(token, using, "APP.LIST") },
				"an assertion":             func(r *replica, _ int) *reply { return app.asserts(r, asserted) },
				"a proof to look at": func(r *replica, _ int) *reply {
					return r.as(admin, "DPOP.VERIFY", P{"proof": looking, "method": "GET", "url": here})
				},
				"a proof at two doors": func(r *replica, i int) *reply {
					if i/2%2 == 0 {
						return fetch(r, mixed)
					}
					return r.as(admin, "DPOP.VERIFY", P{"proof": mixed, "method": "POST", "url": here})
				},
			} {
				passed := 0
				for _, answer := range together(many, func(i int) *reply { return present(s.any(i), i) }) {
					valid, looked := answer.value("valid").(bool)
					switch code := answer.code(); {
					case code == "OK" && (!looked || valid):
						passed++
					case code != "AUTH_ERROR" && !looked:
						t.Errorf("%s: %v %d %s", name, answer.err, answer.status, answer.body)
					}
				}
				if passed != 1 {
					t.Errorf("%s passed %d times of %d, want once", name, passed, many)
				}
			}
		}
	})
}
