package passkey

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/go-webauthn/webauthn/protocol"
)

// certificate is one of an RSA key whose modulus has some bits.
func certificate(t *testing.T, bits int) []byte {
	t.Helper()
	signer, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	modulus := new(big.Int).SetBit(big.NewInt(1), bits-1, 1)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Date(2100, 1, 1, 0, 0, 0, 0, time.UTC)}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &rsa.PublicKey{N: modulus, E: 65537}, signer)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// Nobody makes a verification take long by a key of their own.
func TestBounds(t *testing.T) {
	t.Parallel()
	object := func(format string, key int, chain ...any) *protocol.AttestationObject {
		o := &protocol.AttestationObject{Format: format, AttStatement: map[string]any{"x5c": chain}}
		o.AuthData.AttData.CredentialPublicKey = make([]byte, key)
		return o
	}
	unreadable := errors.New("what x509 says")
	for name, c := range map[string]struct {
		object *protocol.AttestationObject
		want   error
	}{
		"none":                          {&protocol.AttestationObject{Format: "none"}, nil},
		"a key of RSA with 4096 bits":   {object("packed", 530), nil},
		"the largest key":               {object("packed", maxKey), nil},
		"a key that is larger":          {object("packed", maxKey+1), errLarge},
		"a certificate":                 {object("tpm", 77, certificate(t, maxModulus)), nil},
		"a large one":                   {object("tpm", 77, certificate(t, maxModulus+1)), errLarge},
		"a large one behind":            {object("packed", 77, certificate(t, 2048), certificate(t, 16384)), errLarge},
		"no certificate":                {object("packed", 77, []byte("none")), unreadable},
		"no bytes":                      {object("packed", 77, "text"), unreadable},
		"statements within a statement": {object("compound", 77), errFormat},
		"a service that has ended":      {object("android-safetynet", 77), errFormat},
		"a format that is not known":    {object("mine", 77), errFormat},
	} {
		err := bounded(c.object)
		if (c.want == nil) != (err == nil) || (!errors.Is(c.want, unreadable) && !errors.Is(err, c.want)) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}
