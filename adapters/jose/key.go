package jose

import (
	"bytes"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jwk"
	"github.com/lestrrat-go/jwx/v2/jws"

	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound/crypt"
)

// Refusals of Load.
var (
	errKid     = errors.New("a key ID must be 1 to 128 letters, digits, '-', '_' and '.'")
	errKeyKind = errors.New("the key does not match its algorithm")
	errKeyWeak = errors.New("an RSA key must have 2,048 to 4,096 bits")
	errKeyHalf = errors.New("the public key does not match the private key")
	errTyp     = errors.New("typ must be 1 to 64 letters, digits, '+', '-' and '.'")
	errSize    = errors.New("the token would be empty or larger than 8 KiB")
)

// key is a loaded key pair.
type key struct {
	id        string
	algorithm jwa.SignatureAlgorithm
	private   crypto.Signer
	signer    jws.Signer
	verifier  jws.Verifier
	// head is the protected header up to its typ.
	head string
	jwk  []byte
}

// Load reads a private key in PKCS #8 DER, as Generate gave it. It refuses an
// algorithm other than ES256, RS256 and EdDSA, a key of another kind or curve, a short
// RSA key, one whose parts do not belong together, and a malformed key id.
func (JOSE) Load(kid, algorithm string, private []byte) (crypt.SigningKey, error) {
	loaded, err := load(kid, jwa.SignatureAlgorithm(algorithm), private)
	if err != nil {
		return nil, fmt.Errorf("load a signing key: %w", err)
	}
	return loaded, nil
}

func load(kid string, algorithm jwa.SignatureAlgorithm, der []byte) (*key, error) {
	if !wellFormed(kid, 128, "-_.") {
		return nil, errKid
	}
	private, err := parsePrivate(algorithm, der)
	if err != nil {
		return nil, err
	}
	signer, err := jws.NewSigner(algorithm)
	if err != nil {
		return nil, fmt.Errorf("find a signer: %w", err)
	}
	verifier, err := jws.NewVerifier(algorithm)
	if err != nil {
		return nil, fmt.Errorf("find a verifier: %w", err)
	}
	public, err := publicJWK(kid, algorithm, private.Public())
	if err != nil {
		return nil, err
	}
	return &key{
		id: kid, algorithm: algorithm, private: private, signer: signer, verifier: verifier,
		head: `{"alg":"` + algorithm.String() + `","kid":"` + kid + `","typ":"`, jwk: public,
	}, nil
}

// parsePrivate reads and judges a private key. The standard parser computes an
// EC public key anew and ignores the one that is written beside it; encoding the
// key again shows whether that one was right.
func parsePrivate(algorithm jwa.SignatureAlgorithm, der []byte) (crypto.Signer, error) {
	parsed, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, errors.New("not a private key in PKCS #8 format") // the parser's error may quote the key
	}
	switch private := parsed.(type) {
	case *ecdsa.PrivateKey:
		if algorithm != jwa.ES256 || private.Curve != elliptic.P256() {
			return nil, errKeyKind
		}
		again, err := x509.MarshalPKCS8PrivateKey(private)
		if err != nil || !bytes.Equal(again, der) {
			return nil, errKeyHalf
		}
		return private, nil
	case *rsa.PrivateKey:
		if algorithm != jwa.RS256 {
			return nil, errKeyKind
		}
		return private, soundRSA(private)
	case ed25519.PrivateKey:
		if algorithm != jwa.EdDSA {
			return nil, errKeyKind
		}
		return private, nil
	default:
		return nil, errKeyKind
	}
}

// soundRSA judges the length of an RSA key, and whether its parts belong together.
func soundRSA(private *rsa.PrivateKey) error {
	if bits := private.N.BitLen(); bits < rsaBits || bits > 2*rsaBits {
		return errKeyWeak
	}
	if private.Validate() != nil {
		return errKeyHalf
	}
	return nil
}

// publicJWK returns the JWK of a public key (RFC 7517 section 4).
func publicJWK(kid string, algorithm jwa.SignatureAlgorithm, public crypto.PublicKey) ([]byte, error) {
	if point, ok := public.(*ecdsa.PublicKey); ok {
		if _, err := point.ECDH(); err != nil { // jwx does not look whether a point is on its curve
			return nil, errKeyHalf
		}
	}
	made, err := jwk.FromRaw(public)
	if err != nil {
		return nil, fmt.Errorf("make a JWK: %w", err)
	}
	for name, value := range map[string]any{jwk.KeyIDKey: kid, jwk.AlgorithmKey: algorithm, jwk.KeyUsageKey: jwk.ForSignature} {
		if err := made.Set(name, value); err != nil {
			return nil, fmt.Errorf("make a JWK: %w", err)
		}
	}
	if err := made.Validate(); err != nil {
		return nil, fmt.Errorf("check a JWK: %w", err)
	}
	text, err := json.Marshal(made, json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("write a JWK: %w", err)
	}
	return text, nil
}

// ID returns the kid of the key.
func (k *key) ID() string { return k.id }

// Algorithm is "ES256", "RS256" or "EdDSA".
func (k *key) Algorithm() string { return k.algorithm.String() }

// PublicJWK returns a copy of the public key as JWK JSON with kid, alg and use.
func (k *key) PublicJWK() []byte { return bytes.Clone(k.jwk) }

// Sign returns the compact JWS of a payload. It fails when the typ is malformed
// or the token would be one that Verify refuses for its size: with no payload, or
// of more than 8 KiB; a license file may be longer (VerifyFile).
func (k *key) Sign(typ string, payload []byte) (secret.Shown, error) {
	if !wellFormed(typ, 64, "+-.") {
		return "", errTyp
	}
	encoding := base64.RawURLEncoding
	room := encoding.EncodedLen(len(k.head)+len(typ)+2) + encoding.EncodedLen(len(payload)) + 2
	token := make([]byte, 0, room+encoding.EncodedLen(rsaBits/8))
	token = encoding.AppendEncode(token, []byte(k.head+typ+`"}`))
	token = append(token, '.')
	token = encoding.AppendEncode(token, payload)
	signature, err := k.signer.Sign(token, k.private)
	if err != nil {
		return "", fmt.Errorf("sign a token: %w", err)
	}
	token = append(token, '.')
	token = encoding.AppendEncode(token, signature)
	most := maxToken
	if k.algorithm == jwa.EdDSA {
		most = maxFile
	}
	if len(payload) == 0 || len(token) > most {
		return "", errSize
	}
	return secret.Shown(token), nil
}

// Check verifies a raw JWS signature (for ES256 the 64 bytes r and s, RFC 7518
// section 3.4) over the signing input. It fails with crypt.ErrTokenRefused.
func (k *key) Check(input, signature []byte) error {
	if err := k.verifier.Verify(input, signature, k.private); err != nil {
		return refused("wrong signature")
	}
	return nil
}

// wellFormed reports whether a text is 1 to limit ASCII letters, digits and others,
// which need no escape in JSON.
func wellFormed(text string, limit int, others string) bool {
	if text == "" || len(text) > limit {
		return false
	}
	for _, r := range text {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune(others, r):
		default:
			return false
		}
	}
	return true
}
