package password

import (
	"crypto/subtle"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/zitadel/passwap"
	"github.com/zitadel/passwap/verifier"
	"golang.org/x/crypto/argon2"

	"gatehouse.internal/ports/outbound"
)

// hasher makes today's hashes and verifies those made with today's settings. It
// leaves every other hash, also Argon2id with other settings, to the verifiers
// after it, by which passwap knows that the hash is to be replaced.
type hasher struct {
	settings Settings
	random   outbound.Random
	// prefix is all of a hash in PHC string form before its salt.
	prefix string
}

// Lengths of what stands in a hash (RFC 9106 section 3.1 recommends these).
const (
	saltBytes = 16
	keyBytes  = 32
)

var _ passwap.Hasher = (*hasher)(nil)

func newHasher(s Settings, random outbound.Random) *hasher {
	return &hasher{
		settings: s, random: random,
		prefix: fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$", s.Memory, s.Time, s.Threads),
	}
}

// Hash returns a new hash in PHC string form.
func (h *hasher) Hash(password string) (string, error) {
	salt := h.random.Bytes(saltBytes)
	return h.encode(salt, h.derive(password, salt)), nil
}

// unmatched returns a well-formed hash that no password has: what stands for its key
// is random, so that making it costs nothing.
func (h *hasher) unmatched() string {
	return h.encode(h.random.Bytes(saltBytes), h.random.Bytes(keyBytes))
}

// derive computes Argon2id (RFC 9106).
func (h *hasher) derive(password string, salt []byte) []byte {
	return argon2.IDKey([]byte(password), salt, h.settings.Time, h.settings.Memory, h.settings.Threads, keyBytes)
}

func (h *hasher) encode(salt, key []byte) string {
	encode := base64.RawStdEncoding.EncodeToString
	return h.prefix + encode(salt) + "$" + encode(key)
}

// Verify compares a password with a hash made with today's settings, else skips.
func (h *hasher) Verify(encoded, password string) (verifier.Result, error) {
	salt, key, ours := h.parse(encoded)
	if !ours {
		return verifier.Skip, nil
	}
	if subtle.ConstantTimeCompare(h.derive(password, salt), key) != 1 {
		return verifier.Fail, nil
	}
	return verifier.OK, nil
}

// Validate reports whether a hash was made with today's settings, else skips.
func (h *hasher) Validate(encoded string) (verifier.Result, error) {
	if _, _, ours := h.parse(encoded); !ours {
		return verifier.Skip, nil
	}
	return verifier.OK, nil
}

func (h *hasher) parse(encoded string) (salt, key []byte, ours bool) {
	rest, ours := strings.CutPrefix(encoded, h.prefix)
	if !ours {
		return nil, nil, false
	}
	first, second, _ := strings.Cut(rest, "$")
	encoding := base64.RawStdEncoding.Strict()
	salt, saltErr := encoding.DecodeString(first)
	key, keyErr := encoding.DecodeString(second)
	if saltErr != nil || keyErr != nil || len(salt) != saltBytes || len(key) != keyBytes {
		return nil, nil, false
	}
	return salt, key, true
}
