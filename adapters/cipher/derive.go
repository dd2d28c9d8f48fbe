package cipher

import (
	"crypto/hkdf"
	"crypto/sha256"
	"encoding/base64"
	"fmt"

	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/mac"
	"gatehouse.internal/ports/outbound"
)

// Derive returns n bytes of key for one purpose from a secret of high entropy
// (HKDF-SHA256, RFC 5869, without salt). Different purposes give independent keys.
// The secret may not be empty, nor n above 8160: these are mistakes in the program
// and panic.
func Derive(secret []byte, purpose string, n int) []byte {
	if len(secret) == 0 {
		panic("cipher: derive from an empty secret")
	}
	derived, err := hkdf.Key(sha256.New, secret, nil, label.KeyNamespace+purpose, n)
	if err != nil {
		panic(fmt.Sprintf("cipher: derive a key: %v", err))
	}
	return derived
}

// indexBytes is the length of a blind index: 128 bits, so that two values of a
// billion collide with a chance of about 1 in 10^21.
const indexBytes = 16

// Blinder makes blind indexes. It is safe for concurrent use.
type Blinder struct{ key mac.Key }

var _ outbound.Blinder = Blinder{}

// NewBlinder makes a Blinder of a key, which it copies. A key of less than 32
// bytes is a mistake in the program and panics.
func NewBlinder(key []byte) Blinder {
	if len(key) < keyBytes {
		panic("cipher: an index key of less than 32 bytes")
	}
	return Blinder{mac.New(key)}
}

// String keeps the key out of what is printed.
func (Blinder) String() string { return "blinder" }

// GoString is String.
func (b Blinder) GoString() string { return b.String() }

// Index returns 22 characters of base64url: HMAC-SHA256 of the label, a zero byte
// and the value, cut to 16 bytes. A label holds no zero byte.
func (b Blinder) Index(label, value string) string {
	return base64.RawURLEncoding.EncodeToString(b.key.Sum(label, value)[:indexBytes])
}
