package dpop

import "gatehouse.internal/domain/fault"

// KeyFlaw is a flaw of a public key in JWK form.
type KeyFlaw string

// What can be wrong with a key.
const (
	KeyMalformed KeyFlaw = "it must be one JSON object, each name once, its members in canonical unpadded base64url"
	KeyPrivate   KeyFlaw = "it holds private members: send the public key alone, and consider this one as leaked"
	KeySymmetric KeyFlaw = "it is a symmetric key: a proof needs a key pair"
	KeyKind      KeyFlaw = "its kty and crv must be EC and P-256, OKP and Ed25519, or RSA"
	KeyUse       KeyFlaw = "its alg, use or key_ops do not allow it to verify signatures of ES256, Ed25519, EdDSA or RS256"
	KeyLength    KeyFlaw = "its coordinates must be 32 bytes each"
	KeyPoint     KeyFlaw = "its coordinates are no point that fits a key on its curve"
	KeyRSA       KeyFlaw = "an RSA key needs an odd modulus of 2048 to 8192 bits and an odd exponent of 65537 to 2147483647"
)

// Error returns the description of the flaw.
func (f KeyFlaw) Error() string { return string(f) }

// Parameter returns the refusal of a key that is the parameter public_jwk.
func (f KeyFlaw) Parameter() *fault.Error { return fault.Invalid("/public_jwk", string(f)) }

// Proof returns the refusal of a proof with such a key in its header.
func (f KeyFlaw) Proof() *fault.Error {
	return fault.New(fault.Auth, word+"the key in its header: "+string(f))
}
