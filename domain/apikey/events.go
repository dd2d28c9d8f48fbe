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
	KeyID  ID           `json:"key_id" doc:"The new key."`
	UserID user.ID      `json:"user_id" doc:"Whose it is."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace it acts in."`
	Scopes []string     `json:"scopes" doc:"What it may do of what its user may."`
}

// Updated is the content of api_key.updated.
type Updated struct {
	KeyID   ID           `json:"key_id" doc:"The key."`
	UserID  user.ID      `json:"user_id" doc:"Whose it is."`
	OrgID   workspace.ID `json:"org_id" doc:"The workspace it acts in."`
	Changed []string     `json:"changed" doc:"Names of the fields that changed."`
}

// Rotated is the content of api_key.rotated.
type Rotated struct {
	KeyID        ID           `json:"key_id" doc:"The key."`
	UserID       user.ID      `json:"user_id" doc:"Whose it is."`
	OrgID        workspace.ID `json:"org_id" doc:"The workspace it acts in."`
	OverlapUntil time.Time    `json:"overlap_until" doc:"Until when the text before works beside the new one."`
}

// WasRevoked is the content of api_key.revoked.
type WasRevoked struct {
	KeyID  ID           `json:"key_id" doc:"The key that ended."`
	UserID user.ID      `json:"user_id" doc:"Whose it was."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace it acted in."`
	Reason string       `json:"reason" doc:"Why it ended: revoked, revoked_by_admin, leaked, password_changed, user_disabled, account_claimed or member_removed."`
}

// LeakReported is the content of api_key.leak_reported.
type LeakReported struct {
	KeyID  ID           `json:"key_id" doc:"The key that was found, and ended by this."`
	UserID user.ID      `json:"user_id" doc:"Whose it was."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace it acted in."`
	Source string       `json:"source,omitzero" doc:"Who found it, in the finder's own words, which nobody checked."`
	URL    string       `json:"url,omitzero" doc:"Where it was found, as the finder says, without query and fragment."`
}

// Expiring is the content of api_key.expiring.
type Expiring struct {
	KeyID     ID           `json:"key_id" doc:"ID of the API key."`
	UserID    user.ID      `json:"user_id" doc:"Owner of the key."`
	OrgID     workspace.ID `json:"org_id" doc:"Workspace the key acts in."`
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
		{Summary: "An API key was made.", Example: Created{key, person, org, []string{"apps:read"}}},
		{Summary: "An API key was changed.", Example: Updated{key, person, org, []string{"scopes"}}},
		{Summary: "An API key got another text.", Example: Rotated{key, person, org, until}},
		{Summary: "An API key was ended.", Example: WasRevoked{key, person, org, ByUser}},
		{Summary: "Somebody found the text of an API key in the open and handed it in; the key was ended.", Example: LeakReported{key, person, org, "secret scanner", "https://example.com/paste"}},
		{Summary: "An API key expires within seven days. Keys created with a shorter life are not announced.", Example: Expiring{key, person, org, until}},
	}
}
