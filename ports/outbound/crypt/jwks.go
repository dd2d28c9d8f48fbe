package crypt

// JWKS parses public keys of clients (private_key_jwt, RFC 7523 section 2.2; JWK Sets
// are RFC 7517 section 5).
type JWKS interface {
	// ParsePublicSet parses a JWK Set of 1 to 20 public keys: EC P-256, Ed25519, or RSA
	// of 2048 to 8192 bits. It fails with a validation fault with paths into the set.
	ParsePublicSet(raw []byte) ([]PublicKey, error)
	// ReadPublicSet is like ParsePublicSet, but skips unsupported keys and may return
	// none, since sets that clients publish are not for this service only.
	ReadPublicSet(raw []byte) ([]PublicKey, error)
}

// PublicKey is a key to verify signatures.
type PublicKey interface {
	// ID returns the kid; "" for none.
	ID() string
	// Algorithm returns the algorithm of the key's type: ES256, EdDSA or RS256.
	Algorithm() string
	// Verify verifies a compact JWS and returns its payload, whose claims are not
	// verified. The header must have the key's algorithm, the key's kid or none, the
	// given typ, JWT or none, and no critical parameters. It fails with
	// ErrTokenRefused, which is ErrSignature if only the signature is invalid.
	Verify(token, typ string) ([]byte, error)
	// JWK returns the public key in JWK form, with its required members only.
	JWK() []byte
}
