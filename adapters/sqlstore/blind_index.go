package sqlstore

import (
	"database/sql"

	"gatehouse.internal/domain/email"
)

// IPLabel keeps the blind indexes of addresses apart from others.
const IPLabel = "ip"

// Index is the blind index of a value; nothing has none.
func (s *Store) Index(label, value string) string {
	if value == "" {
		return ""
	}
	return s.blinder.Index(label, value)
}

// The labels of the blind indexes of accounts.
const (
	emailLabel    = "email"
	externalLabel = "external_id"
)

// Searchable is the folded form that a search for a beginning looks through; there
// is none where personal data is sealed.
func (s *Store) Searchable(folded string) string {
	if s.clear {
		return folded
	}
	return ""
}

// EmailIndex is under what an address is found and unique.
func (s *Store) EmailIndex(address email.Address) string {
	return s.Index(emailLabel, address.Folded())
}

// ExternalIndex is under what an external id is found and unique; NULL for none.
func (s *Store) ExternalIndex(externalID string) sql.NullString {
	return sql.NullString{String: s.Index(externalLabel, externalID), Valid: externalID != ""}
}
