package dpop

import "gatehouse.internal/domain/fault"

// KeyFlaw is a flaw of a public key in JWK form.
type KeyFlaw string

// What can be wrong with a key.
const (
	KeyMalformed KeyFlaw = "must be a JSON object with unique names and members in canonical unpadded base64url"
	KeyPrivate   KeyFlaw = "contains private members: send only the public key, and treat this key as leaked"
	KeySymmetric KeyFlaw = "is a symmetric key: use a key pair"
	KeyKind      KeyFlaw = "must have kty EC and crv P-256, kty OKP and crv Ed25519, or kty RSA"
	KeyUse       KeyFlaw = "must be allowed by its alg, use and key_ops to verify ES256, Ed25519, EdDSA or RS256 signatures"
	KeyLength    KeyFlaw = "must have coordinates of 32 bytes each"
	KeyPoint     KeyFlaw = "must have coordinates of a valid point on its curve"
	KeyRSA       KeyFlaw = "must have, for RSA, an odd modulus of 2,048 to 8,192 bits and an odd exponent from 65,537 to 2,147,483,647"
)

// Error returns the description of the flaw.
func (f KeyFlaw) Error() string { return string(f) }

// Parameter returns the refusal of a key that is the parameter public_jwk.
func (f KeyFlaw) Parameter() *fault.Error { return fault.Unfit("/public_jwk", string(f)) }

// Proof returns the refusal of a proof with such a key in its header.
func (f KeyFlaw) Proof() *fault.Error {
	return fault.New(fault.Auth, word+"the key in the header "+string(f))
}
