package sqlstore

import (
	"database/sql"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
)

// The labels of the blind indexes of accounts.
const (
	emailLabel    = "email"
	externalLabel = "external_id"
)

// userColumns are what a userRow reads.
const userColumns = `id, email, email_verified, display_name, avatar, locale, timezone, external_id, metadata,
	superadmin, required_actions, status, disabled_until, disabled_why, created_at, updated_at, last_login_at, version`

// userRow is an account as it is stored; e-mail, display name, external id and
// metadata are sealed.
type userRow struct {
	ID            user.ID     `db:"id"`
	Email         string      `db:"email"`
	EmailVerified bool        `db:"email_verified"`
	DisplayName   string      `db:"display_name"`
	Avatar        string      `db:"avatar"`
	Locale        string      `db:"locale"`
	Timezone      string      `db:"timezone"`
	ExternalID    string      `db:"external_id"`
	Metadata      string      `db:"metadata"`
	Superadmin    bool        `db:"superadmin"`
	Required      string      `db:"required_actions"`
	Status        user.Status `db:"status"`
	DisabledUntil instant     `db:"disabled_until"`
	DisabledWhy   string      `db:"disabled_why"`
	CreatedAt     instant     `db:"created_at"`
	UpdatedAt     instant     `db:"updated_at"`
	LastLoginAt   instant     `db:"last_login_at"`
	Version       int64       `db:"version"`
}

// userSnapshot opens a stored account.
func (s *Store) userSnapshot(r *userRow) (user.Snapshot, error) {
	open := opener{sealer: s.personal, table: "users", id: r.ID.String()}
	snapshot := user.Snapshot{
		ID:    r.ID,
		Email: email.Restore(open.value("email", r.Email)), EmailVerified: r.EmailVerified,
		DisplayName: open.value("display_name", r.DisplayName),
		Avatar:      r.Avatar, Locale: r.Locale, Timezone: r.Timezone,
		ExternalID: open.value("external_id", r.ExternalID),
		Superadmin: r.Superadmin, Status: r.Status,
		DisabledUntil: r.DisabledUntil.Time, DisabledWhy: r.DisabledWhy,
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, LastLoginAt: r.LastLoginAt.Time,
	}
	var err error
	if snapshot.RequiredActions, err = decodeList[user.Action](r.Required); err != nil {
		return user.Snapshot{}, fmt.Errorf("decode what is required of the account %s: %w", r.ID, err)
	}
	metadata := open.value("metadata", r.Metadata)
	if open.err != nil {
		return user.Snapshot{}, fmt.Errorf("open the account %s: %w", r.ID, open.err)
	}
	if metadata != "" {
		if err := json.Unmarshal([]byte(metadata), &snapshot.Metadata); err != nil {
			return user.Snapshot{}, fmt.Errorf("decode the metadata of the account %s: %w", r.ID, err)
		}
	}
	return snapshot, nil
}

// userState gives the columns of an account but those that must be unique.
func (s *Store) userState(u user.Snapshot) (row, error) {
	seal := func(column, plain string) string {
		return s.personal.Seal(plain, place("users", column, u.ID.String()))
	}
	metadata := ""
	if u.Metadata != nil {
		encoded, err := json.Marshal(u.Metadata, json.Deterministic(true))
		if err != nil {
			return nil, fmt.Errorf("encode the metadata of the account %s: %w", u.ID, err)
		}
		metadata = string(encoded)
	}
	required, err := encodeList(u.RequiredActions)
	if err != nil {
		return nil, fmt.Errorf("encode what is required of the account %s: %w", u.ID, err)
	}
	return row{
		{"email", seal("email", u.Email.String())},
		{"email_folded", s.searchable(u.Email.Folded())},
		{"email_verified", u.EmailVerified},
		{"display_name", seal("display_name", u.DisplayName)},
		{"name_folded", s.searchable(strings.ToLower(u.DisplayName))},
		{"avatar", u.Avatar},
		{"locale", u.Locale},
		{"timezone", u.Timezone},
		{"external_id", seal("external_id", u.ExternalID)},
		{"metadata", seal("metadata", metadata)},
		{"superadmin", u.Superadmin},
		{"required_actions", required},
		{"status", string(u.Status)},
		{"disabled_until", at(u.DisabledUntil)},
		{"disabled_why", u.DisabledWhy},
		{"created_at", at(u.CreatedAt)},
		{"updated_at", at(u.UpdatedAt)},
		{"last_login_at", at(u.LastLoginAt)},
	}, nil
}

// searchable is the folded form that a search for a beginning looks through; there
// is none where personal data is sealed.
func (s *Store) searchable(folded string) string {
	if s.clear {
		return folded
	}
	return ""
}

// emailIndex is under what an address is found and unique.
func (s *Store) emailIndex(address email.Address) string {
	return s.index(emailLabel, address.Folded())
}

// externalIndex is under what an external id is found and unique; NULL for none.
func (s *Store) externalIndex(externalID string) sql.NullString {
	return sql.NullString{String: s.index(externalLabel, externalID), Valid: externalID != ""}
}
