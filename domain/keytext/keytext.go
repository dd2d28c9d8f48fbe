// Package keytext is the form of the long-lived secrets that people paste into
// configurations: a prefix that tells the kind, 40 characters of base62, and six
// of checksum, so that scanners tell a real key from a look-alike and a mistyped
// one is refused before the store is asked (contract section 3).
package keytext

import (
	"crypto/sha256"
	"encoding/hex"
	"hash/crc32"
	"strings"

	"gatehouse.internal/domain/secret"
)

const (
	alphabet       = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	randomLength   = 40
	checksumLength = 6
	// shownLength is how much of the random part a hint shows.
	shownLength = 4
)

// Kind is the prefix of one kind of secret.
type Kind string

// The kinds of secrets.
const (
	// APIKey begins a user's API key.
	APIKey Kind = "ak_live_"
	// AppSecret begins the secret of an app.
	AppSecret Kind = "sk_live_"
	// Registration begins the token by which an app is read, changed and deleted that was
	// registered dynamically (RFC 7592).
	Registration Kind = "reg_live_"
)

// Source returns random bytes.
type Source interface{ Bytes(n int) []byte }

// New makes a secret of 40 evenly drawn characters, about 238 bits.
func New(kind Kind, random Source) secret.Shown {
	var drawn strings.Builder
	drawn.WriteString(string(kind))
	for left := randomLength; left > 0; {
		for _, b := range random.Bytes(left) {
			// 248 is the greatest multiple of 62 that fits a byte: what lies above
			// would favour the first characters.
			if b < 248 && left > 0 {
				drawn.WriteByte(alphabet[b%62])
				left--
			}
		}
	}
	return secret.Shown(drawn.String() + checksum(drawn.String()))
}

// Valid reports whether a text has the form of a secret of this kind, with the
// right checksum. It says nothing about whether it was ever handed out.
func Valid(kind Kind, text string) bool {
	if len(text) != len(kind)+randomLength+checksumLength || !strings.HasPrefix(text, string(kind)) {
		return false
	}
	body := text[:len(text)-checksumLength]
	for i := len(kind); i < len(body); i++ {
		if !base62(body[i]) {
			return false
		}
	}
	return text[len(body):] == checksum(body)
}

// base62 reports whether a character is of the alphabet.
func base62(c byte) bool {
	return '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
}

// Digest returns what is kept of a secret: its SHA-256 in hexadecimal. The secret has
// too many bits to be guessed, so that nothing slower is needed.
func Digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Hint returns the leading part of a secret that lists show.
func Hint(kind Kind, text string) string { return text[:len(kind)+shownLength] }

// checksum returns the CRC-32 (IEEE) of a text in six characters of base62, the most
// significant first.
func checksum(text string) string {
	sum := crc32.ChecksumIEEE([]byte(text))
	var digits [checksumLength]byte
	for i := checksumLength - 1; i >= 0; i-- {
		digits[i] = alphabet[sum%62]
		sum /= 62
	}
	return string(digits[:])
}
