package crypt

// ProofKeys parses the keys of callers and verifies DPoP proofs (RFC 7517, RFC 7638,
// RFC 9449).
type ProofKeys interface {
	// Key parses a public key in JWK form: EC P-256, Ed25519, or RSA of 2048 to 8192
	// bits. It fails with a dpop fault that describes the problem.
	Key(publicJWK []byte) (ProofKey, error)
	// Proof parses a proof and verifies its signature with the key in its header. It
	// does not verify the claims. It fails with a dpop fault.
	Proof(text string) (SignedProof, error)
}

// ProofKey is a public key of DPoP proofs.
type ProofKey struct {
	// Thumbprint is the SHA-256 thumbprint (RFC 7638), in base64url.
	Thumbprint string
	// JWK is the key with its required members only, sorted by name: the input of the
	// thumbprint.
	JWK []byte
}

// SignedProof is a proof with a valid signature.
type SignedProof struct {
	Key ProofKey
	// Claims is the payload; its claims are not verified.
	Claims []byte
}
