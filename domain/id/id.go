// Package id implements TypeIDs: a prefix for the kind, an underscore, and a UUIDv7 in
// 26 characters of base32, so that identifiers sort by creation (contract section 1;
// TypeID specification 0.3). Each kind is a separate Go type, so that the ID of a
// session cannot be used as that of a user.
package id

import (
	"strings"

	"gatehouse.internal/domain/fault"
)

const (
	suffixLength = 26
	alphabet     = "0123456789abcdefghjkmnpqrstvwxyz"
)

// ErrMalformed is returned for a text that is not an identifier of the kind.
var ErrMalformed = fault.New(fault.Validation, "is not a valid ID of this type")

// Kind returns the prefix of one kind of identifier.
type Kind interface{ Prefix() string }

// ID is an identifier of one kind; its zero value is the absent one.
type ID[K Kind] string

// Minter makes new identifiers; the clock and randomness behind it are an adapter's.
type Minter interface{ Mint(prefix string) string }

// New mints an identifier of kind K.
func New[K Kind](m Minter) ID[K] {
	var kind K
	return ID[K](m.Mint(kind.Prefix()))
}

// Parse reads an identifier of kind K; it fails with ErrMalformed.
func Parse[K Kind](text string) (ID[K], error) {
	var kind K
	suffix, found := strings.CutPrefix(text, kind.Prefix()+"_")
	if !found || len(suffix) != suffixLength || suffix[0] > '7' {
		return "", ErrMalformed
	}
	for i := range len(suffix) {
		if strings.IndexByte(alphabet, suffix[i]) < 0 {
			return "", ErrMalformed
		}
	}
	return ID[K](text), nil
}

// UnmarshalText reads an identifier; it fails with ErrMalformed.
func (i *ID[K]) UnmarshalText(text []byte) error {
	parsed, err := Parse[K](string(text))
	if err != nil {
		return err
	}
	*i = parsed
	return nil
}

// MarshalText writes the identifier as it is.
func (i ID[K]) MarshalText() ([]byte, error) { return []byte(i), nil }

func (i ID[K]) String() string { return string(i) }

// SchemaFragment describes the identifier in a JSON Schema.
func (ID[K]) SchemaFragment() map[string]any {
	var kind K
	return map[string]any{
		"type":     "string",
		"pattern":  "^" + kind.Prefix() + "_[0-7][0-9a-hjkmnp-tv-z]{25}$",
		"examples": []any{kind.Prefix() + "_01jd7x9k2mf3q8v5t0abcdefgh"},
	}
}
