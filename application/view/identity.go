package view

import (
	"time"

	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/user"
)

// Identity is a linked account in results.
type Identity struct {
	ID          identity.ID `json:"id" doc:"Identifier of the link."`
	UserID      user.ID     `json:"user_id" doc:"The account here."`
	Provider    string      `json:"provider" doc:"Where the other account is." jsonschema:"example=github"`
	UpstreamID  string      `json:"upstream_id" doc:"The provider's identifier of it, which never changes."`
	Email       string      `json:"email" doc:"Its address as the provider told it last; empty when it told none."`
	LinkedAt    time.Time   `json:"linked_at" doc:"When it was linked."`
	LastLoginAt *time.Time  `json:"last_login_at" doc:"When it was last used to sign in; null: never."`
}

// OfIdentity shows a linked account.
func OfIdentity(s identity.Snapshot) Identity {
	return Identity{
		ID: s.ID, UserID: s.UserID, Provider: s.Upstream.Provider, UpstreamID: s.Upstream.ID, Email: s.Email.String(),
		LinkedAt: s.LinkedAt, LastLoginAt: Time(s.LastLoginAt),
	}
}
