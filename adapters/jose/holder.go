package jose

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/ports/outbound/crypt"
)

const (
	// The RSA keys that callers may have, in bits of the modulus.
	leastRSA, mostRSA = 2048, 8192
	// The exponents they may have; more than the last one costs needless time.
	leastExponent, mostExponent = 65537, 1<<31 - 1
	// fieldBytes is the length of a coordinate of P-256 and Ed25519.
	fieldBytes = 32
)

// holder is the public key of a caller. It is read here, strictly, into the keys of
// the standard library, not by jwx: each request brings another one, and jwx makes
// a key by reflection without a look at whether its point is on the curve. The type
// of the key alone decides the algorithm.
type holder struct {
	// algorithm is the one that the key's type demands.
	algorithm string
	public    crypto.PublicKey
	// jwk are the required members alone, in the order of their names (RFC 7638
	// section 3.2).
	jwk string
}

// holderJWK is a key as it comes: its public members, and those that give away
// that it is not a public one. Other members mean nothing here.
type holderJWK struct {
	Kty string `json:"kty"`
	Crv string `json:"crv"`
	X   string `json:"x"`
	Y   string `json:"y"`
	N   string `json:"n"`
	E   string `json:"e"`

	Alg    string   `json:"alg"`
	Use    string   `json:"use"`
	KeyOps []string `json:"key_ops"`

	D   jsontext.Value `json:"d"`
	P   jsontext.Value `json:"p"`
	Q   jsontext.Value `json:"q"`
	DP  jsontext.Value `json:"dp"`
	DQ  jsontext.Value `json:"dq"`
	QI  jsontext.Value `json:"qi"`
	Oth jsontext.Value `json:"oth"`
	K   jsontext.Value `json:"k"`
}

func (k *holderJWK) private() bool {
	for _, member := range []jsontext.Value{k.D, k.P, k.Q, k.DP, k.DQ, k.QI, k.Oth} {
		if member != nil {
			return true
		}
	}
	return false
}

// parseHolder reads a public key from its JWK, or says what is wrong with it.
func parseHolder(text []byte) (*holder, dpop.KeyFlaw) {
	if len(text) > maxToken {
		return nil, dpop.KeyMalformed
	}
	var k holderJWK
	if err := json.Unmarshal(text, &k); err != nil || jsontext.Value(text).Kind() != '{' {
		return nil, dpop.KeyMalformed
	}
	switch {
	case k.Kty == "oct" || k.K != nil:
		return nil, dpop.KeySymmetric
	case k.private():
		return nil, dpop.KeyPrivate
	}
	key, flaw := k.parse()
	if flaw != "" {
		return nil, flaw
	}
	if k.Alg != "" && !key.takes(k.Alg) || k.Use != "" && k.Use != "sig" ||
		k.KeyOps != nil && !slices.Contains(k.KeyOps, "verify") {
		return nil, dpop.KeyUse
	}
	return key, ""
}

func (k *holderJWK) parse() (*holder, dpop.KeyFlaw) {
	switch {
	case k.Kty == "EC" && k.Crv == "P-256":
		return k.p256()
	case k.Kty == "OKP" && k.Crv == "Ed25519":
		return k.ed25519()
	case k.Kty == "RSA":
		return k.rsa()
	default:
		return nil, dpop.KeyKind
	}
}

// p256 reads a point of P-256 (RFC 7518 section 6.2.1).
func (k *holderJWK) p256() (*holder, dpop.KeyFlaw) {
	x, errX := decode(k.X)
	y, errY := decode(k.Y)
	switch {
	case errX != nil || errY != nil:
		return nil, dpop.KeyMalformed
	case len(x) != fieldBytes || len(y) != fieldBytes:
		return nil, dpop.KeyLength
	}
	const uncompressed = 4
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{uncompressed}, x, y))
	if err != nil {
		return nil, dpop.KeyPoint
	}
	return &holder{
		algorithm: "ES256", public: public,
		jwk: `{"crv":"P-256","kty":"EC","x":"` + k.X + `","y":"` + k.Y + `"}`,
	}, ""
}

// ed25519 reads a point of Ed25519 (RFC 8037 section 2).
func (k *holderJWK) ed25519() (*holder, dpop.KeyFlaw) {
	x, err := decode(k.X)
	switch {
	case err != nil:
		return nil, dpop.KeyMalformed
	case len(x) != fieldBytes:
		return nil, dpop.KeyLength
	case !soundEdwards(x):
		return nil, dpop.KeyPoint
	}
	return &holder{
		algorithm: "EdDSA", public: ed25519.PublicKey(x),
		jwk: `{"crv":"Ed25519","kty":"OKP","x":"` + k.X + `"}`,
	}, ""
}

// rsa reads a modulus and an exponent, neither with leading zeros (RFC 7518
// section 6.3.1).
func (k *holderJWK) rsa() (*holder, dpop.KeyFlaw) {
	modulus, errN := decode(k.N)
	exponent, errE := decode(k.E)
	switch {
	case errN != nil || errE != nil || modulus[0] == 0 || exponent[0] == 0:
		return nil, dpop.KeyMalformed
	case len(modulus) > mostRSA/8 || len(exponent) > 4:
		return nil, dpop.KeyRSA
	}
	n, e := new(big.Int).SetBytes(modulus), new(big.Int).SetBytes(exponent).Int64()
	if n.BitLen() < leastRSA || n.Bit(0) == 0 || e < leastExponent || e > mostExponent || e%2 == 0 {
		return nil, dpop.KeyRSA
	}
	return &holder{
		algorithm: "RS256", public: &rsa.PublicKey{N: n, E: int(e)},
		jwk: `{"e":"` + k.E + `","kty":"RSA","n":"` + k.N + `"}`,
	}, ""
}

// takes reports whether a signature of the algorithm may be by the key. Ed25519 is the
// name of RFC 9864 for what RFC 8037 calls EdDSA with such a key.
func (h *holder) takes(algorithm string) bool {
	return algorithm == h.algorithm || algorithm == "Ed25519" && h.algorithm == "EdDSA"
}

// describe returns the key as the application sees it.
func (h *holder) describe() crypt.ProofKey {
	jwk := []byte(h.jwk)
	digest := sha256.Sum256(jwk)
	return crypt.ProofKey{Thumbprint: base64.RawURLEncoding.EncodeToString(digest[:]), JWK: jwk}
}

// verifies reports whether the key made a signature (RFC 7518 sections 3.3 and 3.4,
// RFC 8037 section 3.1).
func (h *holder) verifies(input, signature []byte) bool {
	digest := sha256.Sum256(input)
	switch public := h.public.(type) {
	case *ecdsa.PublicKey:
		if len(signature) != 2*fieldBytes {
			return false
		}
		r, s := new(big.Int).SetBytes(signature[:fieldBytes]), new(big.Int).SetBytes(signature[fieldBytes:])
		return ecdsa.Verify(public, digest[:], r, s)
	case ed25519.PublicKey:
		return ed25519.Verify(public, input, signature)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(public, crypto.SHA256, digest[:], signature) == nil
	default:
		return false
	}
}
