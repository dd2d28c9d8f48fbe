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
	AppID  ID           `json:"app_id" doc:"The new app."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace it belongs to."`
	Slug   string       `json:"slug" doc:"Its client_id."`
	Type   Type         `json:"type" doc:"What kind of program it is."`
	Scopes []string     `json:"scopes" doc:"Scopes it was granted with that."`
}

// Updated is the content of app.updated.
type Updated struct {
	AppID   ID           `json:"app_id" doc:"The app."`
	OrgID   workspace.ID `json:"org_id" doc:"The workspace it belongs to."`
	Changed []string     `json:"changed" doc:"Names of the fields that changed."`
	Enabled bool         `json:"enabled" doc:"Whether it may be used now."`
}

// Deleted is the content of app.deleted.
type Deleted struct {
	AppID ID           `json:"app_id" doc:"The app that is gone."`
	OrgID workspace.ID `json:"org_id" doc:"The workspace it belonged to."`
	Slug  string       `json:"slug" doc:"Its client_id, which stays with the workspace."`
}

// KeyRotated is the content of app.key_rotated.
type KeyRotated struct {
	AppID        ID           `json:"app_id" doc:"The app."`
	OrgID        workspace.ID `json:"org_id" doc:"The workspace it belongs to."`
	SecretID     SecretID     `json:"secret_id" doc:"The new secret."`
	OverlapUntil time.Time    `json:"overlap_until,omitzero" doc:"When the last secret before it ends; absent: they ended at once."`
}

// SecretRevoked is the content of app.secret_revoked.
type SecretRevoked struct {
	AppID    ID           `json:"app_id" doc:"The app."`
	OrgID    workspace.ID `json:"org_id" doc:"The workspace it belongs to."`
	SecretID SecretID     `json:"secret_id" doc:"The secret that ended."`
}

// ScopesGranted is the content of app.scopes_granted.
type ScopesGranted struct {
	AppID  ID           `json:"app_id" doc:"The app."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace it belongs to."`
	Scopes []string     `json:"scopes" doc:"What it got."`
}

// ScopesRevoked is the content of app.scopes_revoked.
type ScopesRevoked struct {
	AppID  ID           `json:"app_id" doc:"The app."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace it belongs to."`
	Scopes []string     `json:"scopes" doc:"What it lost."`
}

// KeysSet is the content of app.jwks_set.
type KeysSet struct {
	AppID  ID           `json:"app_id" doc:"The app."`
	OrgID  workspace.ID `json:"org_id" doc:"The workspace it belongs to."`
	Source string       `json:"source" doc:"Where its public keys are from now." jsonschema:"enum=jwks,enum=jwks_uri,enum=none"`
}

// ClaimsSet is the content of app.claims_set.
type ClaimsSet struct {
	AppID ID           `json:"app_id" doc:"The app."`
	OrgID workspace.ID `json:"org_id" doc:"The workspace it belongs to."`
	Names []string     `json:"names" doc:"Names of all its custom claims now."`
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
		{Summary: "An app was deleted, and its tokens ended.", Example: Deleted{app, org, slug}},
		{Summary: "An app got a new secret.", Example: KeyRotated{AppID: app, OrgID: org, SecretID: secret}},
		{Summary: "A secret of an app was ended.", Example: SecretRevoked{app, org, secret}},
		{Summary: "An app was granted scopes.", Example: ScopesGranted{app, org, scopes}},
		{Summary: "Scopes of an app were taken back, also from its live tokens.", Example: ScopesRevoked{app, org, scopes}},
		{Summary: "The public keys of an app for private_key_jwt were set or removed.", Example: KeysSet{app, org, KeysGiven}},
		{Summary: "The custom claims of an app were set.", Example: ClaimsSet{app, org, []string{"plan"}}},
	}
}
