package apikey

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of API keys.
const (
	KindCreated      event.Kind = "api_key.created"
	KindUpdated      event.Kind = "api_key.updated"
	KindRotated      event.Kind = "api_key.rotated"
	KindRevoked      event.Kind = "api_key.revoked"
	KindLeakReported event.Kind = "api_key.leak_reported"
	KindExpiring     event.Kind = "api_key.expiring"
)

// Created is the content of api_key.created.
type Created struct {
	KeyID  ID           `json:"key_id" doc:"ID of the API key."`
	UserID user.ID      `json:"user_id" doc:"ID of the user who owns the key."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace the key acts in."`
	Scopes []string     `json:"scopes" doc:"Scopes of the key. Each call is limited to the permissions its owner holds."`
}

// Updated is the content of api_key.updated.
type Updated struct {
	KeyID   ID           `json:"key_id" doc:"ID of the API key."`
	UserID  user.ID      `json:"user_id" doc:"ID of the user who owns the key."`
	OrgID   workspace.ID `json:"org_id" doc:"ID of the workspace the key acts in."`
	Changed []string     `json:"changed" doc:"Names of the changed fields."`
}

// Rotated is the content of api_key.rotated.
type Rotated struct {
	KeyID        ID           `json:"key_id" doc:"ID of the API key."`
	UserID       user.ID      `json:"user_id" doc:"ID of the user who owns the key."`
	OrgID        workspace.ID `json:"org_id" doc:"ID of the workspace the key acts in."`
	OverlapUntil time.Time    `json:"overlap_until" doc:"When the old secret stops working."`
}

// WasRevoked is the content of api_key.revoked.
type WasRevoked struct {
	KeyID  ID           `json:"key_id" doc:"ID of the API key."`
	UserID user.ID      `json:"user_id" doc:"ID of the user who owned the key."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace the key acted in."`
	Reason string       `json:"reason" doc:"Why the key was revoked: revoked, revoked_by_admin, leaked, password_changed, user_disabled, account_claimed or member_removed."`
}

// LeakReported is the content of api_key.leak_reported.
type LeakReported struct {
	KeyID  ID           `json:"key_id" doc:"ID of the API key, which is now revoked."`
	UserID user.ID      `json:"user_id" doc:"ID of the user who owned the key."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace the key acted in."`
	Source string       `json:"source,omitzero" doc:"Person or tool that found the key, as stated by the reporter. Not verified."`
	URL    string       `json:"url,omitzero" doc:"URL where the key was found, as stated by the reporter, without query and fragment."`
}

// Expiring is the content of api_key.expiring.
type Expiring struct {
	KeyID     ID           `json:"key_id" doc:"ID of the API key."`
	UserID    user.ID      `json:"user_id" doc:"ID of the user who owns the key."`
	OrgID     workspace.ID `json:"org_id" doc:"ID of the workspace the key acts in."`
	ExpiresAt time.Time    `json:"expires_at" doc:"When the key expires."`
}

func (Created) Kind() event.Kind      { return KindCreated }
func (Updated) Kind() event.Kind      { return KindUpdated }
func (Rotated) Kind() event.Kind      { return KindRotated }
func (WasRevoked) Kind() event.Kind   { return KindRevoked }
func (LeakReported) Kind() event.Kind { return KindLeakReported }
func (Expiring) Kind() event.Kind     { return KindExpiring }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		key    = ID("key_01jd7x9k2mf3q8v5t0abcdefgh")
		person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
		org    = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	until := time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)
	return []event.Definition{
		{Summary: "An API key was created.", Example: Created{key, person, org, []string{"apps:read"}}},
		{Summary: "An API key was updated.", Example: Updated{key, person, org, []string{"scopes"}}},
		{Summary: "The secret of an API key was rotated.", Example: Rotated{key, person, org, until}},
		{Summary: "An API key was revoked.", Example: WasRevoked{key, person, org, ByUser}},
		{Summary: "An API key was reported as leaked and was revoked.", Example: LeakReported{key, person, org, "secret scanner", "https://example.com/paste"}},
		{Summary: "An API key expires within seven days. Keys created with a shorter lifetime are not announced.", Example: Expiring{key, person, org, until}},
	}
}
