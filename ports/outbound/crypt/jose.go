package crypt

import (
	"errors"
	"fmt"

	"gatehouse.internal/domain/secret"
)

// ErrTokenRefused is returned by JOSE.Verify for a token that is malformed, names an
// unknown key or algorithm, or has an invalid signature.
var ErrTokenRefused = errors.New("token refused")

// ErrSignature is the ErrTokenRefused of an invalid signature, whose verification costs
// far more than other checks.
var ErrSignature = fmt.Errorf("%w: wrong signature", ErrTokenRefused)

// JOSE generates signing keys, and signs and verifies tokens (RFC 7515, RFC 7517).
type JOSE interface {
	// Generate returns a new private key for "ES256", "RS256" or "EdDSA", as PKCS #8
	// DER.
	Generate(algorithm string) ([]byte, error)
	// Load returns the key pair of a private key.
	Load(kid, algorithm string, private []byte) (SigningKey, error)
	// Verify verifies a compact JWS with the key of its kid, and that its typ is the
	// given one. The algorithm is that of the key, never that of the token. It fails
	// with ErrTokenRefused.
	Verify(token, typ string, lookup func(kid string) (SigningKey, bool)) (Verified, error)
}

// Verified is the content of a token with a valid signature.
type Verified struct {
	KeyID   string
	Payload []byte
}

// SigningKey is a key pair.
type SigningKey interface {
	ID() string
	Algorithm() string
	// Sign returns the compact JWS of a payload, with typ and kid in its header. It
	// verifies by itself, so it is a secret that dry runs blank.
	Sign(typ string, payload []byte) (secret.Shown, error)
	// Check verifies a raw JWS signature over the signing input.
	Check(input, signature []byte) error
	// PublicJWK returns the public key as JWK JSON with kid, alg and use.
	PublicJWK() []byte
}
