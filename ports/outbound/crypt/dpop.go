package crypt

// ProofKeys reads the keys of callers and the proofs of possession under them
// (RFC 7517, RFC 7638, RFC 9449).
type ProofKeys interface {
	// Key reads a public key from its JWK JSON: EC P-256, Ed25519, or RSA of 2048 to
	// 8192 bits. It fails with a dpop fault that says what is wrong with it.
	Key(publicJWK []byte) (ProofKey, error)
	// Proof takes a proof apart and verifies its signature with the key in its own
	// header. It fails with a dpop fault. Nothing is said yet about its claims.
	Proof(text string) (SignedProof, error)
}

// ProofKey is a public key that proofs are made with.
type ProofKey struct {
	// Thumbprint is the SHA-256 thumbprint of RFC 7638, in base64url.
	Thumbprint string
	// JWK is the key as JSON with its required members alone, in the order of their
	// names: what the thumbprint is made of.
	JWK []byte
}

// SignedProof is a proof whose form and signature are right.
type SignedProof struct {
	Key ProofKey
	// Claims is the payload, not read yet.
	Claims []byte
}
