package token

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strings"

	"gatehouse.internal/domain/mac"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/ports/outbound"
)

const (
	nonceSize = 32
	macSize   = 16
)

// opaque creates and verifies one kind of opaque tokens (Refresh): a prefix, then the
// identifier of the owner, 256 random bits and a MAC under a label.
type opaque struct {
	prefix, label, succeeding string
	key                       mac.Key
}

func (o opaque) make(of string, random outbound.Random) (secret.Shown, string) {
	return o.compose(of, random.Bytes(nonceSize))
}

func (o opaque) successor(of, replaced string) (secret.Shown, string) {
	return o.compose(of, o.key.Sum(o.succeeding, of+" "+replaced))
}

func (o opaque) compose(of string, nonce []byte) (secret.Shown, string) {
	signed := append([]byte(of), nonce...)
	sum := o.key.Sum(o.label, string(signed))[:macSize]
	text := o.prefix + base64.RawURLEncoding.EncodeToString(append(signed, sum...))
	return secret.Shown(text), digest(text)
}

// read reports whether this service created a token, and returns its owner and digest.
func (o opaque) read(presented secret.String) (of, sum string, ok bool) {
	text := presented.Reveal()
	body, prefixed := strings.CutPrefix(text, o.prefix)
	raw, err := base64.RawURLEncoding.Strict().DecodeString(body)
	// The decoder skips line ends: they would make another token of the same content.
	if !prefixed || err != nil || len(raw) <= nonceSize+macSize || strings.ContainsAny(body, "\r\n") {
		return "", "", false
	}
	signed, mac := raw[:len(raw)-macSize], raw[len(raw)-macSize:]
	if !hmac.Equal(mac, o.key.Sum(o.label, string(signed))[:macSize]) {
		return "", "", false
	}
	return string(signed[:len(signed)-nonceSize]), digest(text), true
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
