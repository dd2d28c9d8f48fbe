package license

import (
	"crypto/sha256"
	"strings"

	"gatehouse.internal/domain/secret"
)

// The form of a key: LIC- and five groups of five characters of Crockford's base32.
const (
	prefix       = "LIC"
	alphabet     = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
	randomLength = 20
	keyLength    = 25
	groupLength  = 5
)

// Random returns random bytes.
type Random interface{ Bytes(n int) []byte }

// NewKey makes the text of a key: 20 drawn characters, 100 bits, and five of checksum.
func NewKey(random Random) secret.Shown {
	drawn := make([]byte, randomLength)
	for i, b := range random.Bytes(randomLength) {
		drawn[i] = alphabet[b%byte(len(alphabet))]
	}
	return secret.Shown(Shown(string(drawn) + checksum(string(drawn))))
}

// Shown returns a key as people read it.
func Shown(canonical string) string {
	text := prefix
	for at := 0; at < len(canonical); at += groupLength {
		text += "-" + canonical[at:at+groupLength]
	}
	return text
}

// alike replaces look-alike characters (Crockford's base32), and removes separators.
func alike(text string) string {
	return strings.NewReplacer("-", "", " ", "", "I", "1", "L", "1", "O", "0").Replace(text)
}

// ReadKey returns the canonical form of a key: without case, hyphens and look-alikes.
// It reports whether the text has the form of a key with a valid checksum; the key may
// not exist.
func ReadKey(text string) (canonical string, ok bool) {
	canonical = alike(strings.ToUpper(strings.TrimSpace(text)))
	if len(canonical) > keyLength { // the groups alone may begin like the prefix
		canonical = strings.TrimPrefix(canonical, alike(prefix))
	}
	if len(canonical) != keyLength || strings.Trim(canonical, alphabet) != "" {
		return "", false
	}
	return canonical, canonical[randomLength:] == checksum(canonical[:randomLength])
}

// checksum returns the beginning of the SHA-256 of a text, in five characters.
func checksum(text string) string {
	sum := sha256.Sum256([]byte(text))
	digits := make([]byte, keyLength-randomLength)
	for i := range digits {
		digits[i] = alphabet[sum[i]%byte(len(alphabet))]
	}
	return string(digits)
}
