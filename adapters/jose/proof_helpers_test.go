package jose_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"encoding/json"
	"maps"
	"testing"

	"github.com/lestrrat-go/jwx/v2/jwa"
	"github.com/lestrrat-go/jwx/v2/jwk"
	"github.com/lestrrat-go/jwx/v2/jws"
)

// object is a JSON object.
type object = map[string]any

// client is somebody who makes proofs, with a library that is not ours.
type client struct {
	algorithm jwa.SignatureAlgorithm
	private   crypto.Signer
	jwk       object
}

// newClient makes a key pair for ES256, EdDSA or RS256; bits are those of an RSA key.
func newClient(tb testing.TB, algorithm jwa.SignatureAlgorithm, bits int) *client {
	tb.Helper()
	var private crypto.Signer
	var err error
	switch algorithm {
	case jwa.ES256:
		private, err = ecdsa.GenerateKey(elliptic.P256(), nil)
	case jwa.EdDSA:
		_, private, err = ed25519.GenerateKey(nil)
	default:
		private, err = rsa.GenerateKey(nil, bits)
	}
	if err != nil {
		tb.Fatal(err)
	}
	return &client{algorithm: algorithm, private: private, jwk: publicOf(tb, private)}
}

func clients(tb testing.TB) []*client {
	return []*client{newClient(tb, jwa.ES256, 0), newClient(tb, jwa.EdDSA, 0), newClient(tb, jwa.RS256, 2048)}
}

// publicOf returns the JWK of a public key, as jwx writes it.
func publicOf(tb testing.TB, private crypto.Signer) object {
	tb.Helper()
	made, err := jwk.FromRaw(private.Public())
	if err != nil {
		tb.Fatal(err)
	}
	var written object
	if err := json.Unmarshal([]byte(text(tb, made)), &written); err != nil {
		tb.Fatal(err)
	}
	return written
}

// header is that of a right proof.
func (c *client) header() object {
	return object{"typ": "dpop+jwt", "alg": c.algorithm.String(), "jwk": c.jwk}
}

// sign makes a compact JWS of texts, right under any header.
func (c *client) sign(tb testing.TB, header, payload string) string {
	tb.Helper()
	input := b64(header) + "." + b64(payload)
	signer, err := jws.NewSigner(c.algorithm)
	if err != nil {
		tb.Fatal(err)
	}
	signature, err := signer.Sign([]byte(input), c.private)
	if err != nil {
		tb.Fatal(err)
	}
	return input + "." + b64(string(signature))
}

// proof makes a right proof but for the members that change says; nil removes one.
func (c *client) proof(tb testing.TB, change object) string {
	tb.Helper()
	return c.sign(tb, text(tb, changed(c.header(), change)), `{"jti":"1"}`)
}

// changed returns a copy of an object with other members; nil removes one.
func changed(original, change object) object {
	made := maps.Clone(original)
	for name, value := range change {
		if made[name] = value; value == nil {
			delete(made, name)
		}
	}
	return made
}

// text writes JSON.
func text(tb testing.TB, value any) string {
	tb.Helper()
	written, err := json.Marshal(value)
	if err != nil {
		tb.Fatal(err)
	}
	return string(written)
}
