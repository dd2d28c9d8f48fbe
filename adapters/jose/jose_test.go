package jose_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jwk"
	"github.com/lestrrat-go/jwx/v2/jws"

	"gatehouse.internal/adapters/jose"
)

func TestRoundTrip(t *testing.T) {
	t.Parallel()
	for _, algorithm := range algorithms() {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			key, other := newKey(t, "k1", algorithm), newKey(t, "k2", algorithm)
			verified, err := jose.JOSE{}.Verify(sign(t, key, `{"sub":"usr_1"}`), typ, only(other, key))
			if err != nil {
				t.Fatal(err)
			}
			if verified.KeyID != "k1" || string(verified.Payload) != `{"sub":"usr_1"}` {
				t.Errorf("Verify = %q, %s", verified.KeyID, verified.Payload)
			}
		})
	}
}

// What others verify with is the JWK alone, and jwx stands for them.
func TestOthersVerifyByJWK(t *testing.T) {
	t.Parallel()
	for _, algorithm := range algorithms() {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			key := newKey(t, "k1", algorithm)
			public, err := jwk.ParseKey(key.PublicJWK())
			if err != nil {
				t.Fatal(err)
			}
			token := sign(t, key, `{"a":1}`)
			payload, err := jws.Verify([]byte(token), jws.WithKey(jwa.SignatureAlgorithm(algorithm), public))
			if err != nil || string(payload) != `{"a":1}` {
				t.Errorf("jws.Verify = %s, %v", payload, err)
			}
			message, err := jws.Parse([]byte(token))
			if err != nil {
				t.Fatal(err)
			}
			head := message.Signatures()[0].ProtectedHeaders()
			if head.Type() != typ || head.KeyID() != "k1" || head.Algorithm().String() != algorithm {
				t.Errorf("header has typ %q, kid %q, alg %q", head.Type(), head.KeyID(), head.Algorithm())
			}
		})
	}
}

func TestPublicJWK(t *testing.T) {
	t.Parallel()
	for algorithm, members := range map[string][]string{
		"ES256": {"alg", "crv", "kid", "kty", "use", "x", "y"},
		"RS256": {"alg", "e", "kid", "kty", "n", "use"},
	} {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			key := newKey(t, "k1", algorithm)
			var got map[string]string
			if err := json.Unmarshal(key.PublicJWK(), &got); err != nil {
				t.Fatal(err)
			}
			if len(got) != len(members) {
				t.Errorf("members of %v, want only %v", got, members)
			}
			for _, name := range members {
				if got[name] == "" {
					t.Errorf("no %q in %v", name, got)
				}
			}
			if got["kid"] != "k1" || got["alg"] != algorithm || got["use"] != "sig" {
				t.Errorf("kid, alg, use of %v", got)
			}
			copied := key.PublicJWK()
			copied[0] = 'X'
			if bytes.Equal(copied, key.PublicJWK()) {
				t.Error("a caller can alter the key's own JWK")
			}
		})
	}
}

func TestGenerateRefuses(t *testing.T) {
	t.Parallel()
	for _, algorithm := range []string{"", "none", "HS256", "es256", "ES384", "PS256", "Ed448"} {
		if der, err := (jose.JOSE{}).Generate(algorithm); err == nil {
			t.Errorf("Generate(%q) gave %d bytes", algorithm, len(der))
		}
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	es256, rs256 := der(t, newEC(t, elliptic.P256())), der(t, newRSA(t, 2048))
	for name, c := range map[string]struct {
		kid, algorithm string
		private        []byte
	}{
		"no kid":                {"", "ES256", es256},
		"kid with a quote":      {`a","alg":"none`, "ES256", es256},
		"long kid":              {strings.Repeat("a", 129), "ES256", es256},
		"unknown algorithm":     {"k", "HS256", es256},
		"no key":                {"k", "ES256", nil},
		"garbage":               {"k", "ES256", []byte("garbage")},
		"truncated":             {"k", "ES256", es256[:len(es256)-1]},
		"trailing bytes":        {"k", "ES256", append(bytes.Clone(es256), 0)},
		"RSA key for ES256":     {"k", "ES256", rs256},
		"EC key for RS256":      {"k", "RS256", es256},
		"P-384 for ES256":       {"k", "ES256", der(t, newEC(t, elliptic.P384()))},
		"short RSA":             {"k", "RS256", der(t, newRSA(t, 1024))},
		"public half altered":   {"k", "ES256", alter(es256, len(es256)-1)},
		"public half off curve": {"k", "ES256", alter(es256, len(es256)-40)},
		"RSA modulus altered":   {"k", "RS256", alter(rs256, 60)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := (jose.JOSE{}).Load(c.kid, c.algorithm, c.private); err == nil {
				t.Error("Load accepted it")
			}
		})
	}
}

func TestSignRefuses(t *testing.T) {
	t.Parallel()
	key := newKey(t, "k1", "ES256")
	for name, c := range map[string]struct {
		typ  string
		size int
	}{
		"no typ":           {"", 10},
		"typ with a quote": {`a"b`, 10},
		"long typ":         {strings.Repeat("a", 65), 10},
		"too large":        {typ, 8 << 10},
		"no payload":       {typ, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if token, err := key.Sign(c.typ, make([]byte, c.size)); err == nil {
				t.Errorf("Sign gave %d bytes", len(token))
			}
		})
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	for _, algorithm := range algorithms() {
		t.Run(algorithm, func(t *testing.T) {
			t.Parallel()
			key := newKey(t, "k1", algorithm)
			token := sign(t, key, "{}")
			dot := strings.LastIndexByte(token, '.')
			signature := unb64(t, token[dot+1:])
			if err := key.Check([]byte(token[:dot]), signature); err != nil {
				t.Errorf("Check of a right signature: %v", err)
			}
			for name, wrong := range map[string][]byte{
				"empty": nil, "short": signature[:len(signature)-1], "long": append(bytes.Clone(signature), 0),
				"zero": make([]byte, len(signature)), "altered": alter(signature, 5),
			} {
				if key.Check([]byte(token[:dot]), wrong) == nil {
					t.Errorf("Check accepted a signature that is %s", name)
				}
			}
		})
	}
}

func newEC(t *testing.T, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, nil)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func newRSA(t *testing.T, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(nil, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func der(t *testing.T, key any) []byte {
	t.Helper()
	encoded, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(errors.Join(errors.New("encode"), err))
	}
	return encoded
}

func alter(from []byte, at int) []byte {
	altered := bytes.Clone(from)
	altered[at] ^= 1
	return altered
}
