// Package view is how aggregates are shown in results: the same account looks
// the same in every command.
package view

import (
	"time"

	"gatehouse.internal/domain/user"
)

// User is an account in results (specification section 2.3).
type User struct {
	ID            user.ID        `json:"id" doc:"ID of the account."`
	Email         string         `json:"email" doc:"Email address."`
	EmailVerified bool           `json:"email_verified" doc:"Whether the address is proved to belong to the account's owner."`
	IsSuperadmin  bool           `json:"is_superadmin" doc:"Whether the account is a superadmin. Superadmins pass every permission check."`
	DisplayName   string         `json:"display_name" doc:"Display name."`
	Avatar        string         `json:"avatar" doc:"URL of a picture, or empty."`
	Locale        string         `json:"locale" doc:"BCP 47 language tag, or empty."`
	Timezone      string         `json:"timezone" doc:"IANA time zone, or empty."`
	ExternalID    string         `json:"external_id" doc:"ID of the account in the system it was imported from, or empty."`
	Metadata      map[string]any `json:"metadata_json" doc:"Application-defined metadata."`
	Status        string         `json:"status" doc:"Status of the account." jsonschema:"enum=active,enum=disabled"`
	DisabledUntil *time.Time     `json:"disabled_until,omitzero" doc:"When a disabled account is enabled again. Omitted if it stays disabled until USER.ENABLE."`
	CreatedAt     time.Time      `json:"created_at" doc:"When the account was created."`
	UpdatedAt     time.Time      `json:"updated_at" doc:"When the account last changed."`
	LastLoginAt   *time.Time     `json:"last_login_at,omitzero" doc:"Last sign-in of the account. Omitted if it never signed in."`
}

// OfUser returns an account at a time.
func OfUser(s user.Snapshot, now time.Time) User {
	shown := User{
		ID: s.ID, Email: s.Email.String(), EmailVerified: s.EmailVerified, IsSuperadmin: s.Superadmin,
		DisplayName: s.DisplayName, Avatar: s.Avatar, Locale: s.Locale, Timezone: s.Timezone,
		ExternalID: s.ExternalID, Metadata: s.Metadata, Status: string(user.Active),
		CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt, LastLoginAt: Time(s.LastLoginAt),
	}
	if !s.Usable(now) {
		shown.Status, shown.DisabledUntil = string(user.Disabled), Time(s.DisabledUntil)
	}
	return shown
}

// Time returns a time that may be absent.
func Time(at time.Time) *time.Time {
	if at.IsZero() {
		return nil
	}
	return &at
}
