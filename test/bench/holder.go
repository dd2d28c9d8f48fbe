package main

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"
)

// holder is a client with a key that its token is bound to (RFC 9449). It is used
// by one goroutine at a time.
type holder struct {
	key *ecdsa.PrivateKey
	// header is the encoded header of its proofs, url what they are made for.
	header, url string
	// token is bound to the key; hash is the claim ath that goes with it.
	token, hash string
}

// newHolder makes a client with a fresh key and no token.
func newHolder(url string) *holder {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(fmt.Sprintf("bench: make a key: %v", err)) // the system's randomness never fails
	}
	point, err := key.PublicKey.Bytes()
	if err != nil {
		panic(fmt.Sprintf("bench: encode a key: %v", err)) // the curve is one it knows
	}
	header := fmt.Sprintf(`{"typ":"dpop+jwt","alg":"ES256","jwk":{"kty":"EC","crv":"P-256","x":%q,"y":%q}}`,
		text64(point[1:33]), text64(point[33:]))
	return &holder{key: key, header: text64([]byte(header)), url: url}
}

// bind sets the token of the holder.
func (h *holder) bind(token string) {
	sum := sha256.Sum256([]byte(token))
	h.token, h.hash = token, text64(sum[:])
}

// proof makes a fresh proof for a POST (RFC 9449 section 4.2).
func (h *holder) proof() string {
	claims := fmt.Appendf(nil, `{"jti":%q,"htm":"POST","htu":%q,"iat":%d`, rand.Text(), h.url, time.Now().Unix())
	if h.token != "" {
		claims = fmt.Appendf(claims, `,"ath":%q`, h.hash)
	}
	input := h.header + "." + text64(append(claims, '}'))
	digest := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(rand.Reader, h.key, digest[:])
	if err != nil {
		panic(fmt.Sprintf("bench: sign a proof: %v", err)) // only a broken key fails
	}
	var signature [64]byte
	r.FillBytes(signature[:32])
	s.FillBytes(signature[32:])
	return input + "." + text64(signature[:])
}

func text64(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
