package cipher

import (
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"strings"
)

// keyBytes is the length of every key: AES-256.
const keyBytes = 32

// Refusals of ParseKeys. None quotes what it refuses.
var (
	ErrKeyForm      = errors.New("a key must be 32 bytes in base64, optionally after an ID of 1 to 32 letters, digits, '-' and '_' and a colon")
	ErrKeyWeak      = errors.New("a key must not consist of one repeated byte")
	ErrKeyDuplicate = errors.New("two keys must not have the same ID or the same bytes")
)

// Keys are encryption keys, newest first. The zero value has none. They print
// and log without their bytes.
type Keys struct{ list []namedKey }

type namedKey struct {
	id    string
	bytes [keyBytes]byte
}

// ParseKeys reads `id:base64[,id:base64…]`, newest first; a bare base64 value has
// the id "1". Base64 may be standard or URL-safe, padded or not. An empty text
// has no keys. Errors tell the place of the key in the list, counted from 1.
func ParseKeys(text string) (Keys, error) {
	if text == "" {
		return Keys{}, nil
	}
	var keys Keys
	for i, part := range strings.Split(text, ",") {
		key, err := parseKey(strings.TrimSpace(part))
		if err != nil {
			return Keys{}, fmt.Errorf("key %d: %w", i+1, err)
		}
		for _, other := range keys.list {
			if other.id == key.id || other.bytes == key.bytes {
				return Keys{}, fmt.Errorf("key %d: %w", i+1, ErrKeyDuplicate)
			}
		}
		keys.list = append(keys.list, key)
	}
	return keys, nil
}

func parseKey(text string) (namedKey, error) {
	id, encoded, named := strings.Cut(text, ":")
	if !named {
		id, encoded = "1", text
	}
	encoded = strings.NewReplacer("-", "+", "_", "/").Replace(strings.TrimRight(encoded, "="))
	decoded, err := base64.RawStdEncoding.Strict().DecodeString(encoded)
	if err != nil || len(decoded) != keyBytes || !validID(id) {
		return namedKey{}, ErrKeyForm // the decoder's error would quote the key
	}
	key := namedKey{id: id, bytes: [keyBytes]byte(decoded)}
	if strings.Count(string(decoded), string(decoded[:1])) == keyBytes {
		return namedKey{}, ErrKeyWeak
	}
	return key, nil
}

func validID(id string) bool {
	if id == "" || len(id) > 32 {
		return false
	}
	for _, r := range id {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', r == '-', r == '_':
		default:
			return false
		}
	}
	return true
}

// Empty reports whether there are no keys.
func (k Keys) Empty() bool { return len(k.list) == 0 }

// IDs returns the ids of the keys, newest first.
func (k Keys) IDs() []string {
	ids := make([]string, 0, len(k.list))
	for _, key := range k.list {
		ids = append(ids, key.id)
	}
	return ids
}

// String returns the ids only.
func (k Keys) String() string { return "keys " + strings.Join(k.IDs(), ", ") }

// GoString is String.
func (k Keys) GoString() string { return k.String() }

// LogValue keeps the bytes out of structured logs.
func (k Keys) LogValue() slog.Value { return slog.StringValue(k.String()) }
