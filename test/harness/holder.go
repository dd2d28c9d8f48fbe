package harness

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"strconv"
	"sync/atomic"
	"testing"

	"gatehouse.internal/ports/outbound"
)

// Holder is a client with an ES256 key of its own, who makes proofs of possession
// (RFC 9449) without any code of the service.
type Holder struct {
	private *ecdsa.PrivateKey
	clock   outbound.Clock
	t       testing.TB
}

// NewHolder makes a key pair; iat of its proofs is by the clock.
func NewHolder(t testing.TB, clock outbound.Clock) *Holder {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), nil)
	if err != nil {
		t.Fatalf("make a key pair: %v", err)
	}
	return &Holder{private: private, clock: clock, t: t}
}

// Holder makes a key pair for the clock of the service.
func (h *Service) Holder() *Holder { h.t.Helper(); return NewHolder(h.t, h.Clock) }

// JWK is the public key.
func (o *Holder) JWK() P {
	o.t.Helper()
	point, err := o.private.PublicKey.Bytes()
	if err != nil {
		o.t.Fatalf("encode a public key: %v", err)
	}
	const half = 32
	return P{"kty": "EC", "crv": "P-256", "x": encode(point[1 : 1+half]), "y": encode(point[1+half:])}
}

// Thumbprint is that of the key (RFC 7638), as cnf.jkt holds it.
func (o *Holder) Thumbprint() string {
	o.t.Helper()
	digest := sha256.Sum256(o.text(o.JWK())) // encoding/json writes the names in order
	return encode(digest[:])
}

var proofs atomic.Int64

// Proof makes a proof for one request, and for the access token that goes with it,
// if there is one. Changes may set other claims, or take some away by a nil.
func (o *Holder) Proof(method, url, accessToken string, changes ...P) string {
	o.t.Helper()
	claims := P{"jti": strconv.FormatInt(proofs.Add(1), 10), "htm": method, "htu": url, "iat": o.clock.Now().Unix()}
	if accessToken != "" {
		digest := sha256.Sum256([]byte(accessToken))
		claims["ath"] = encode(digest[:])
	}
	for _, change := range changes {
		for name, value := range change {
			if claims[name] = value; value == nil {
				delete(claims, name)
			}
		}
	}
	return o.Sign(P{"typ": "dpop+jwt", "alg": "ES256", "jwk": o.JWK()}, claims)
}

// Sign makes a compact JWS of any header and claims.
func (o *Holder) Sign(header, claims P) string {
	o.t.Helper()
	input := encode(o.text(header)) + "." + encode(o.text(claims))
	digest := sha256.Sum256([]byte(input))
	r, s, err := ecdsa.Sign(nil, o.private, digest[:])
	if err != nil {
		o.t.Fatalf("sign: %v", err)
	}
	const half = 32
	signature := append(r.FillBytes(make([]byte, half)), s.FillBytes(make([]byte, half))...)
	return input + "." + encode(signature)
}

func (o *Holder) text(value any) []byte {
	o.t.Helper()
	written, err := json.Marshal(value)
	if err != nil {
		o.t.Fatalf("write JSON: %v", err)
	}
	return written
}

func encode(raw []byte) string { return base64.RawURLEncoding.EncodeToString(raw) }
