package jose_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jwk"
	"github.com/lestrrat-go/jwx/v2/jws"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
)

// FuzzProof holds that every text is either refused as a proof or signed by the key
// it names, and that nothing panics.
func FuzzProof(f *testing.F) {
	c := newClient(f, jwa.ES256, 0)
	good := c.proof(f, nil)
	for _, seed := range []string{exampleProof, good, good[:len(good)-1], strings.ToUpper(good), "", "..", "a.b.c", b64("{}") + ".e30.AA"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		signed, err := jose.JOSE{}.Proof(text)
		switch failure := fault.From(err); {
		case err != nil && (failure.Code != fault.Auth || !strings.HasPrefix(failure.Message, "invalid_dpop_proof: ")):
			t.Fatalf("refused with %v", err)
		case err == nil && !right(text, signed.Key.JWK):
			t.Fatalf("accepted %q", text)
		}
	})
}

// right asks a library whether a proof is signed by a key.
func right(text string, key []byte) bool {
	parsed, err := jwk.ParseKey(key)
	if err != nil {
		return false
	}
	for _, algorithm := range []jwa.SignatureAlgorithm{jwa.ES256, jwa.EdDSA, jwa.RS256} {
		if _, err := jws.Verify([]byte(text), jws.WithKey(algorithm, parsed)); err == nil {
			return true
		}
	}
	return false
}

// FuzzKey holds that a key which is taken is its own canonical form.
func FuzzKey(f *testing.F) {
	for _, seed := range []string{exampleRSA, exampleEdwards, "{}", `{"kty":"EC","crv":"P-256"}`, `{"kty":"oct","k":""}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		key, err := jose.JOSE{}.Key(text)
		if err != nil {
			if fault.From(err).Code != fault.Validation {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		again, err := jose.JOSE{}.Key(key.JWK)
		if err != nil || again.Thumbprint != key.Thumbprint || string(again.JWK) != string(key.JWK) {
			t.Fatalf("%s became %s (%v)", key.JWK, again.JWK, err)
		}
	})
}

// FuzzMutatedProof alters one place of a good proof, deeper than blind fuzzing gets.
func FuzzMutatedProof(f *testing.F) {
	good := newClient(f, jwa.ES256, 0).proof(f, nil)
	for at := range len(good) {
		f.Add(uint16(at), byte('A'), false)
	}
	f.Fuzz(func(t *testing.T, at uint16, letter byte, insert bool) {
		place := int(at) % len(good)
		rest := good[place+1:]
		if insert {
			rest = good[place:]
		}
		text := good[:place] + string([]byte{letter}) + rest
		_, err := jose.JOSE{}.Proof(text)
		if text != good && (err == nil || errors.Is(err, dpop.ErrReplayed)) {
			t.Fatalf("accepted %q", text)
		}
	})
}

func BenchmarkProof(b *testing.B) {
	for _, c := range clients(b) {
		proof := c.proof(b, nil)
		b.Run(c.algorithm.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := (jose.JOSE{}).Proof(proof); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
