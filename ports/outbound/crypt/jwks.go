package crypt

// JWKS reads the public keys that clients authenticate with (private_key_jwt,
// RFC 7523 section 2.2; JWK Sets are RFC 7517 section 5).
type JWKS interface {
	// ParsePublicSet reads a JWK Set of 1 to 20 public keys: EC P-256, Ed25519, or RSA
	// of 2048 to 8192 bits. It fails with a validation fault whose paths point into
	// the set.
	ParsePublicSet(raw []byte) ([]PublicKey, error)
	// ReadPublicSet is ParsePublicSet for a set that a client publishes for others
	// too: keys that cannot be used here are left out, and there may be none.
	ReadPublicSet(raw []byte) ([]PublicKey, error)
}

// PublicKey is a key that signatures are verified with.
type PublicKey interface {
	// ID returns the kid, "" for none.
	ID() string
	// Algorithm follows from the key's own type: ES256, EdDSA or RS256.
	Algorithm() string
	// Verify checks a compact JWS and returns its payload. The header must name the
	// key's algorithm, its kid or none, and as its typ the one given, JWT or none; what
	// is critical in it is refused. It
	// fails with ErrTokenRefused, which is ErrSignature when the header suits the key.
	// Nothing is said yet about the claims.
	Verify(token, typ string) ([]byte, error)
	// JWK returns the public key as JWK JSON, without members that are not needed.
	JWK() []byte
}
