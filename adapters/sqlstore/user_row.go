package sqlstore

import (
	"fmt"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
)

// UserColumns are the columns of a UserRow.
const UserColumns = `id, email, email_verified, email_bound, display_name, avatar, locale, timezone, external_id, metadata,
	superadmin, required_actions, status, disabled_until, disabled_why, created_at, updated_at, last_login_at, version`

// UserRow is the stored form of an account. The email address, display name, external id,
// metadata, avatar and the reason why it is disabled are sealed.
type UserRow struct {
	ID            user.ID     `db:"id"`
	Email         string      `db:"email"`
	EmailVerified bool        `db:"email_verified"`
	EmailBound    bool        `db:"email_bound"`
	DisplayName   string      `db:"display_name"`
	Avatar        string      `db:"avatar"`
	Locale        string      `db:"locale"`
	Timezone      string      `db:"timezone"`
	ExternalID    string      `db:"external_id"`
	Metadata      string      `db:"metadata"`
	Superadmin    bool        `db:"superadmin"`
	Required      string      `db:"required_actions"`
	Status        user.Status `db:"status"`
	DisabledUntil Instant     `db:"disabled_until"`
	DisabledWhy   string      `db:"disabled_why"`
	CreatedAt     Instant     `db:"created_at"`
	UpdatedAt     Instant     `db:"updated_at"`
	LastLoginAt   Instant     `db:"last_login_at"`
	Version       int64       `db:"version"`
}

// UserSnapshot opens a stored account.
func (s *Store) UserSnapshot(r *UserRow) (user.Snapshot, error) {
	open := s.RowOpener("users", r.ID.String())
	snapshot := user.Snapshot{
		ID:    r.ID,
		Email: email.Restore(open.Value("email", r.Email)), EmailVerified: r.EmailVerified, EmailBound: r.EmailVerified && r.EmailBound,
		DisplayName: open.Value("display_name", r.DisplayName),
		Avatar:      open.Value("avatar", r.Avatar), Locale: r.Locale, Timezone: r.Timezone,
		ExternalID: open.Value("external_id", r.ExternalID),
		Superadmin: r.Superadmin, Status: r.Status,
		DisabledUntil: r.DisabledUntil.Time, DisabledWhy: open.Value("disabled_why", r.DisabledWhy),
		CreatedAt: r.CreatedAt.Time, UpdatedAt: r.UpdatedAt.Time, LastLoginAt: r.LastLoginAt.Time,
	}
	var err error
	if snapshot.RequiredActions, err = DecodeList[user.Action](r.Required); err != nil {
		return user.Snapshot{}, fmt.Errorf("decode what is required of the account %s: %w", r.ID, err)
	}
	metadata := open.Value("metadata", r.Metadata)
	if open.Err != nil {
		return user.Snapshot{}, fmt.Errorf("open the account %s: %w", r.ID, open.Err)
	}
	if metadata != "" {
		if err := json.Unmarshal([]byte(metadata), &snapshot.Metadata); err != nil {
			return user.Snapshot{}, fmt.Errorf("decode the metadata of the account %s: %w", r.ID, err)
		}
	}
	return snapshot, nil
}
