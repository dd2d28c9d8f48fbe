package app

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of apps.
const (
	KindRegistered    event.Kind = "app.registered"
	KindUpdated       event.Kind = "app.updated"
	KindDeleted       event.Kind = "app.deleted"
	KindKeyRotated    event.Kind = "app.key_rotated"
	KindSecretRevoked event.Kind = "app.secret_revoked" //nolint:gosec // the name of an event
	KindScopesGranted event.Kind = "app.scopes_granted"
	KindScopesRevoked event.Kind = "app.scopes_revoked"
	KindKeysSet       event.Kind = "app.jwks_set"
	KindClaimsSet     event.Kind = "app.claims_set"
)

// Sources of the keys for private_key_jwt, in app.jwks_set.
const (
	KeysGiven   = "jwks"
	KeysFetched = "jwks_uri"
	KeysNone    = "none"
)

// Registered is the content of app.registered.
type Registered struct {
	AppID  ID           `json:"app_id" doc:"ID of the new app."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace that owns the app."`
	Slug   string       `json:"slug" doc:"The client_id of the app."`
	Type   Type         `json:"type" doc:"Type of app."`
	Scopes []string     `json:"scopes" doc:"Scopes granted at registration."`
}

// Updated is the content of app.updated.
type Updated struct {
	AppID   ID           `json:"app_id" doc:"ID of the app."`
	OrgID   workspace.ID `json:"org_id" doc:"ID of the workspace that owns the app."`
	Changed []string     `json:"changed" doc:"Names of the changed fields."`
	Enabled bool         `json:"enabled" doc:"Whether the app is enabled after the change."`
}

// Deleted is the content of app.deleted.
type Deleted struct {
	AppID ID           `json:"app_id" doc:"ID of the deleted app."`
	OrgID workspace.ID `json:"org_id" doc:"ID of the workspace that owned the app."`
	Slug  string       `json:"slug" doc:"The client_id of the app, which stays reserved for the workspace."`
}

// KeyRotated is the content of app.key_rotated.
type KeyRotated struct {
	AppID        ID           `json:"app_id" doc:"ID of the app."`
	OrgID        workspace.ID `json:"org_id" doc:"ID of the workspace that owns the app."`
	SecretID     SecretID     `json:"secret_id" doc:"ID of the new secret."`
	OverlapUntil time.Time    `json:"overlap_until,omitzero" doc:"Time the last of the previous secrets expires. Absent if they were revoked immediately."`
}

// SecretRevoked is the content of app.secret_revoked.
type SecretRevoked struct {
	AppID    ID           `json:"app_id" doc:"ID of the app."`
	OrgID    workspace.ID `json:"org_id" doc:"ID of the workspace that owns the app."`
	SecretID SecretID     `json:"secret_id" doc:"ID of the revoked secret."`
}

// ScopesGranted is the content of app.scopes_granted.
type ScopesGranted struct {
	AppID  ID           `json:"app_id" doc:"ID of the app."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace that owns the app."`
	Scopes []string     `json:"scopes" doc:"Granted scopes."`
}

// ScopesRevoked is the content of app.scopes_revoked.
type ScopesRevoked struct {
	AppID  ID           `json:"app_id" doc:"ID of the app."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace that owns the app."`
	Scopes []string     `json:"scopes" doc:"Revoked scopes."`
}

// KeysSet is the content of app.jwks_set.
type KeysSet struct {
	AppID  ID           `json:"app_id" doc:"ID of the app."`
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace that owns the app."`
	Source string       `json:"source" doc:"Source of the public keys after the change." jsonschema:"enum=jwks,enum=jwks_uri,enum=none"`
}

// ClaimsSet is the content of app.claims_set.
type ClaimsSet struct {
	AppID ID           `json:"app_id" doc:"ID of the app."`
	OrgID workspace.ID `json:"org_id" doc:"ID of the workspace that owns the app."`
	Names []string     `json:"names" doc:"Names of all custom claims after the change."`
}

func (Registered) Kind() event.Kind    { return KindRegistered }
func (Updated) Kind() event.Kind       { return KindUpdated }
func (Deleted) Kind() event.Kind       { return KindDeleted }
func (KeyRotated) Kind() event.Kind    { return KindKeyRotated }
func (SecretRevoked) Kind() event.Kind { return KindSecretRevoked }
func (ScopesGranted) Kind() event.Kind { return KindScopesGranted }
func (ScopesRevoked) Kind() event.Kind { return KindScopesRevoked }
func (KeysSet) Kind() event.Kind       { return KindKeysSet }
func (ClaimsSet) Kind() event.Kind     { return KindClaimsSet }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		app    = ID("0193c1a2-7b1e-7c3d-9a5f-0123456789ab")
		org    = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		secret = SecretID("sec_01jd7x9k2mf3q8v5t0abcdefgh")
		slug   = "billing-worker"
	)
	scopes := []string{"invoices:read"}
	return []event.Definition{
		{Summary: "An app was registered.", Example: Registered{app, org, slug, Service, scopes}},
		{Summary: "An app was changed, enabled or disabled.", Example: Updated{app, org, []string{"name"}, true}},
		{Summary: "An app was deleted, and its tokens were revoked.", Example: Deleted{app, org, slug}},
		{Summary: "An app got a new client secret.", Example: KeyRotated{AppID: app, OrgID: org, SecretID: secret}},
		{Summary: "A client secret of an app was revoked.", Example: SecretRevoked{app, org, secret}},
		{Summary: "Scopes were granted to an app.", Example: ScopesGranted{app, org, scopes}},
		{Summary: "Scopes of an app were revoked, including from its active tokens.", Example: ScopesRevoked{app, org, scopes}},
		{Summary: "The public keys of an app for private_key_jwt were set or removed.", Example: KeysSet{app, org, KeysGiven}},
		{Summary: "The custom claims of an app were set.", Example: ClaimsSet{app, org, []string{"plan"}}},
	}
}
