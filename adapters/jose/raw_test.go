package jose_test

import (
	"crypto"
	"crypto/x509"
	"testing"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jws"

	"gatehouse.internal/adapters/jose"
	"gatehouse.internal/ports/outbound/crypt"
)

// rawSigner is a key of ours whose private half the test holds too, so that it
// can put a right signature under a wrong header.
type rawSigner struct {
	crypt.SigningKey

	private crypto.Signer
}

func newRawKey(t *testing.T, kid, algorithm string) rawSigner {
	t.Helper()
	encoded, err := jose.JOSE{}.Generate(algorithm)
	if err != nil {
		t.Fatal(err)
	}
	key, err := jose.JOSE{}.Load(kid, algorithm, encoded)
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := x509.ParsePKCS8PrivateKey(encoded)
	if err != nil {
		t.Fatal(err)
	}
	private, ok := parsed.(crypto.Signer)
	if !ok {
		t.Fatalf("%T signs nothing", parsed)
	}
	return rawSigner{SigningKey: key, private: private}
}

func (r rawSigner) raw(t *testing.T, input []byte) []byte {
	t.Helper()
	signer, err := jws.NewSigner(jwa.SignatureAlgorithm(r.Algorithm()))
	if err != nil {
		t.Fatal(err)
	}
	signature, err := signer.Sign(input, r.private)
	if err != nil {
		t.Fatal(err)
	}
	return signature
}
