package cipher

import (
	"crypto/aes"
	"crypto/cipher"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"gatehouse.internal/domain/label"
	"gatehouse.internal/ports/outbound"
)

const (
	sealedPrefix = "enc:"
	clearPrefix  = "clr:"
	nonceBytes   = 12
)

// Failures of Open. They name a key by its id and quote nothing of the value.
var (
	// ErrUnknownKey says that a value was sealed with a key which is not here.
	ErrUnknownKey = errors.New("a value is encrypted with a key that is not in ENCRYPTION_KEY")
	// ErrAltered says that a value was altered, cut, or moved from its place, or
	// that its key has the right id and the wrong bytes.
	ErrAltered = errors.New("an encrypted value was altered or moved, or its key was replaced under the same ID")
	// ErrNotSealed says that a value is in clear where only sealed ones may be.
	ErrNotSealed = errors.New("a value that must be encrypted is not")
)

// Sealer seals values with AES-256-GCM under the newest of its keys and opens
// those under any of them. Without keys it keeps values in clear. It is safe for
// concurrent use.
type Sealer struct {
	newest string
	keys   map[string]cipher.AEAD
	random outbound.Random
	// strict refuses values in clear.
	strict bool
}

var _ outbound.Sealer = (*Sealer)(nil)

// New makes a Sealer of these keys, of which it uses none directly but a subkey
// derived with HKDF. Zero keys make one that keeps everything in clear.
func New(keys Keys, random outbound.Random) *Sealer {
	s := &Sealer{keys: make(map[string]cipher.AEAD, len(keys.list)), random: random}
	for _, key := range keys.list {
		s.keys[key.id] = newAEAD(Derive(key.bytes[:], label.Seal, keyBytes))
	}
	if !keys.Empty() {
		s.newest = keys.list[0].id
	}
	return s
}

// FromSecret makes a Sealer for one purpose from a secret such as JWT_SECRET.
// The id of its key is derived too, so that another secret shows as an unknown
// key. It opens sealed values only. An empty secret is a mistake in the program
// and panics: the configuration has refused it before.
func FromSecret(secret, purpose string, random outbound.Random) *Sealer {
	if secret == "" {
		panic("cipher: an empty secret")
	}
	id := base64.RawURLEncoding.EncodeToString(Derive([]byte(secret), label.KeyID+purpose, 6))
	key := Derive([]byte(secret), label.Seal+"/"+purpose, keyBytes)
	return &Sealer{newest: id, keys: map[string]cipher.AEAD{id: newAEAD(key)}, random: random, strict: true}
}

// newAEAD cannot fail for a key of 32 bytes.
func newAEAD(key []byte) cipher.AEAD {
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(fmt.Sprintf("cipher: %v", err))
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(fmt.Sprintf("cipher: %v", err))
	}
	return aead
}

// Seal returns the stored form of a value for its place; an empty one stays empty.
func (s *Sealer) Seal(plain, place string) string {
	if plain == "" {
		return ""
	}
	aead, sealing := s.keys[s.newest]
	if !sealing {
		return inClear(plain)
	}
	nonce := s.random.Bytes(nonceBytes)
	sealed := aead.Seal(nonce, nonce, []byte(plain), []byte(place))
	return sealedPrefix + s.newest + ":" + base64.RawURLEncoding.EncodeToString(sealed)
}

// inClear marks a value that could be taken for one of the marked forms.
func inClear(plain string) string {
	if strings.HasPrefix(plain, sealedPrefix) || strings.HasPrefix(plain, clearPrefix) {
		return clearPrefix + plain
	}
	return plain
}

// Open returns the value back. It fails with ErrUnknownKey, ErrAltered, or, when
// the Sealer came from FromSecret, ErrNotSealed.
func (s *Sealer) Open(stored, place string) (string, error) {
	rest, sealed := strings.CutPrefix(stored, sealedPrefix)
	switch {
	case sealed:
		return s.open(rest, place)
	case s.strict && stored != "":
		return "", ErrNotSealed
	default:
		return strings.TrimPrefix(stored, clearPrefix), nil
	}
}

func (s *Sealer) open(rest, place string) (string, error) {
	id, encoded, _ := strings.Cut(rest, ":")
	if !validID(id) {
		return "", ErrAltered
	}
	aead, known := s.keys[id]
	if !known {
		return "", fmt.Errorf("%w: key id %q", ErrUnknownKey, id)
	}
	if strings.ContainsAny(encoded, "\r\n") { // the decoder skips line breaks
		return "", ErrAltered
	}
	sealed, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if err != nil || len(sealed) < nonceBytes {
		return "", ErrAltered
	}
	plain, err := aead.Open(nil, sealed[:nonceBytes], sealed[nonceBytes:], []byte(place))
	if err != nil {
		return "", ErrAltered
	}
	return string(plain), nil
}

// Stale reports whether a stored value is not under the newest key: it is in clear
// though there is a key, or under another one, which without keys is any.
func (s *Sealer) Stale(stored string) bool {
	switch {
	case stored == "":
		return false
	case s.newest == "":
		return strings.HasPrefix(stored, sealedPrefix)
	default:
		return !strings.HasPrefix(stored, sealedPrefix+s.newest+":")
	}
}
