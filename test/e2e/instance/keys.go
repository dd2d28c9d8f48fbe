package instance

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"
)

// KeySet reads a JSON Web Key Set, by hand.
func KeySet(t testing.TB, text string) map[string]crypto.PublicKey {
	t.Helper()
	var set struct {
		Keys []map[string]string `json:"keys"`
	}
	if err := json.Unmarshal([]byte(text), &set); err != nil {
		t.Fatalf("the key set %s: %v", text, err)
	}
	keys := map[string]crypto.PublicKey{}
	for _, jwk := range set.Keys {
		if jwk["use"] != "sig" || jwk["kid"] == "" {
			t.Errorf("a key without use or kid: %v", jwk)
		}
		for name := range jwk {
			if !slices.Contains([]string{"kty", "crv", "x", "y", "n", "e", "kid", "alg", "use"}, name) {
				t.Errorf("a public key with the member %s", name)
			}
		}
		switch jwk["kty"] + " " + jwk["alg"] {
		case "EC ES256":
			point := append([]byte{4}, append(Decoded(t, jwk["x"]), Decoded(t, jwk["y"])...)...)
			key, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), point)
			if err != nil {
				t.Fatalf("the key %v: %v", jwk, err)
			}
			keys[jwk["kid"]] = key
		case "RSA RS256":
			e := new(big.Int).SetBytes(Decoded(t, jwk["e"]))
			keys[jwk["kid"]] = &rsa.PublicKey{N: new(big.Int).SetBytes(Decoded(t, jwk["n"])), E: int(e.Int64())}
		default:
			t.Errorf("an unknown kind of key: %v", jwk)
		}
	}
	return keys
}

// Verified reports whether a token is signed by the key it names.
func Verified(t testing.TB, keys map[string]crypto.PublicKey, token string) bool {
	t.Helper()
	input, signature := token[:strings.LastIndex(token, ".")], Decoded(t, token[strings.LastIndex(token, ".")+1:])
	digest := sha256.Sum256([]byte(input))
	switch key := keys[HeaderOf(t, token)["kid"].(string)].(type) {
	case *ecdsa.PublicKey:
		r, s := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])
		return len(signature) == 64 && ecdsa.Verify(key, digest[:], r, s)
	case *rsa.PublicKey:
		return rsa.VerifyPKCS1v15(key, crypto.SHA256, digest[:], signature) == nil
	}
	return false
}
