package sqlstore

import (
	"crypto/sha256"
	"database/sql"
	"encoding/base32"
	"strings"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/label"
)

// Index returns the blind index of a value; "" for an empty value.
func (s *Store) Index(label, value string) string {
	if value == "" {
		return ""
	}
	return s.blinder.Index(label, value)
}

// Searchable returns the folded form in which a value is searched by prefix; it is empty if
// personal data is sealed.
func (s *Store) Searchable(folded string) string {
	if s.clear {
		return folded
	}
	return ""
}

// searchTokenBytes is the length of a token of searches: 40 bits tell the words of millions of names apart.
const searchTokenBytes = 5

// SearchToken returns the token that a piece of text is searched by: eight letters and digits, which no tokenizer
// splits.
func (s *Store) SearchToken(label, piece string) string {
	sum := sha256.Sum256([]byte(s.blinder.Index(label, piece)))
	return strings.ToLower(base32.HexEncoding.EncodeToString(sum[:searchTokenBytes]))
}

// EmailIndex returns the value by which an address is found and is unique.
func (s *Store) EmailIndex(address email.Address) string {
	return s.Index(label.Email, address.Folded())
}

// ExternalIndex returns the value by which an external id is found and is unique; NULL if there
// is none.
func (s *Store) ExternalIndex(externalID string) sql.NullString {
	return sql.NullString{String: s.Index(label.ExternalID, externalID), Valid: externalID != ""}
}
