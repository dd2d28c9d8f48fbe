package view

import (
	"time"

	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/user"
)

// Identity is a linked account in results.
type Identity struct {
	ID          identity.ID `json:"id" doc:"ID of the link."`
	UserID      user.ID     `json:"user_id" doc:"User that the account is linked to."`
	Provider    string      `json:"provider" doc:"Provider of the linked account." jsonschema:"example=github"`
	UpstreamID  string      `json:"upstream_id" doc:"The provider's ID of the account. It never changes."`
	Email       string      `json:"email" doc:"Email address that the provider last reported. Empty if it reported none."`
	LinkedAt    time.Time   `json:"linked_at" doc:"When the account was linked."`
	LastLoginAt *time.Time  `json:"last_login_at" doc:"When the account was last used to sign in. Null if never."`
}

// OfIdentity shows a linked account.
func OfIdentity(s identity.Snapshot) Identity {
	return Identity{
		ID: s.ID, UserID: s.UserID, Provider: s.Upstream.Provider, UpstreamID: s.Upstream.ID, Email: s.Email.String(),
		LinkedAt: s.LinkedAt, LastLoginAt: Time(s.LastLoginAt),
	}
}
