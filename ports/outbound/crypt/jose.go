package crypt

import (
	"errors"
	"fmt"
)

// ErrTokenRefused is the answer of JOSE.Verify to every token that is malformed,
// names a key or algorithm that is not ours, or has a wrong signature.
var ErrTokenRefused = errors.New("token refused")

// ErrSignature is the ErrTokenRefused of a signature that was looked at, which costs
// far more than all else.
var ErrSignature = fmt.Errorf("%w: the signature is wrong", ErrTokenRefused)

// JOSE makes signing keys and verifies what they signed (RFC 7515, RFC 7517).
type JOSE interface {
	// Generate makes a private key for "ES256", "RS256" or "EdDSA", as PKCS #8 DER.
	Generate(algorithm string) ([]byte, error)
	// Load returns the key for signing and verifying.
	Load(kid, algorithm string, private []byte) (SigningKey, error)
	// Verify checks a compact JWS of the given typ against the key its kid
	// names; the algorithm is that of the key, never that of the token. It
	// fails with ErrTokenRefused.
	Verify(token, typ string, lookup func(kid string) (SigningKey, bool)) (Verified, error)
}

// Verified is the content of a token whose signature is right.
type Verified struct {
	KeyID   string
	Payload []byte
}

// SigningKey is a loaded key pair.
type SigningKey interface {
	ID() string
	Algorithm() string
	// Sign returns the compact JWS of a payload, with typ and kid in its header.
	Sign(typ string, payload []byte) (string, error)
	// Check verifies a raw JWS signature over the signing input.
	Check(input, signature []byte) error
	// PublicJWK returns the public key as JWK JSON with kid, alg and use.
	PublicJWK() []byte
}
