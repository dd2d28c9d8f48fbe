package jose

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"fmt"

	"github.com/lestrrat-go/jwx/v2/jwa"

	"gatehouse.internal/ports/outbound/crypt"
)

// rsaBits is the length of the RSA keys made here, and the least one loaded.
const rsaBits = 2048

// JOSE makes, loads and uses signing keys. Its zero value is ready for use.
type JOSE struct{}

var _ crypt.JOSE = JOSE{}

// Generate makes a private key for "ES256" (P-256), "RS256" (2048 bits) or "EdDSA" (Ed25519), as
// PKCS #8 DER (RFC 5958). Randomness is the system's: since Go 1.26 no reader
// can be put in its place, hence the nil.
func (JOSE) Generate(algorithm string) ([]byte, error) {
	private, err := generate(jwa.SignatureAlgorithm(algorithm))
	if err != nil {
		return nil, fmt.Errorf("generate a signing key: %w", err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, fmt.Errorf("encode a signing key: %w", err)
	}
	return der, nil
}

func generate(algorithm jwa.SignatureAlgorithm) (crypto.Signer, error) {
	switch algorithm {
	case jwa.ES256:
		return ecdsa.GenerateKey(elliptic.P256(), nil)
	case jwa.RS256:
		return rsa.GenerateKey(nil, rsaBits)
	case jwa.EdDSA:
		_, private, err := ed25519.GenerateKey(nil)
		return private, err
	default:
		return nil, fmt.Errorf("unsupported algorithm %q: use ES256, RS256 or EdDSA", algorithm)
	}
}

// Verify checks a compact JWS: its form first, which costs microseconds, its
// signature last. It accepts a token of at most 8 KiB, of exactly the typ asked
// for, under a key that the lookup knows, with that key's algorithm. Every
// failure wraps crypt.ErrTokenRefused and quotes nothing of the token.
func (JOSE) Verify(token, typ string, lookup func(kid string) (crypt.SigningKey, bool)) (crypt.Verified, error) {
	parts, err := split(token)
	if err != nil {
		return crypt.Verified{}, err
	}
	if parts.header.Typ != typ {
		return crypt.Verified{}, refused("unexpected typ")
	}
	key, known := lookup(parts.header.Kid)
	if !known {
		return crypt.Verified{}, refused("unknown kid")
	}
	if parts.header.Alg != key.Algorithm() || parts.header.Kid != key.ID() {
		return crypt.Verified{}, refused("alg does not match the key")
	}
	if err := key.Check(parts.input, parts.signature); err != nil {
		return crypt.Verified{}, refused("wrong signature")
	}
	return crypt.Verified{KeyID: parts.header.Kid, Payload: parts.payload}, nil
}
