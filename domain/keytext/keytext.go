// Package keytext implements the format of long-lived secrets: a prefix for the kind,
// 40 characters of base62, and a checksum of six, so that scanners recognize them and
// mistyped ones are rejected without a lookup (contract section 3).
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
			// 248 is the largest multiple of 62 in a byte: greater values would make
			// the first characters more likely.
			if b < 248 && left > 0 {
				drawn.WriteByte(alphabet[b%62])
				left--
			}
		}
	}
	return secret.Shown(drawn.String() + checksum(drawn.String()))
}

// Valid reports whether a text has the form of a secret of this kind, with a valid
// checksum. The secret may not exist.
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

// Digest returns the stored form of a secret: its SHA-256 in hexadecimal. The secret
// has too much entropy to be guessed, so a slow hash is unnecessary.
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
