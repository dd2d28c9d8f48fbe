package oauth

import (
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
)

// Resource is an API in results.
type Resource struct {
	ID               resource.ID          `json:"id" doc:"ID of the API."`
	OrgID            *workspace.ID        `json:"org_id" doc:"ID of the workspace that owns the API. Null for an API of the instance, which is for every app that a superadmin granted one of its scopes."`
	Identifier       string               `json:"identifier" doc:"Audience of the API, as in the aud claim of tokens."`
	Name             string               `json:"name" doc:"Display name."`
	Scopes           []Scope              `json:"scopes" doc:"Scopes of the API. If empty, apps can request any scope."`
	AccessTTLSeconds int                  `json:"access_ttl_seconds" doc:"Maximum lifetime of tokens for the API. Seconds. 0 if only the lifetime of the app applies."`
	SigningAlg       signingkey.Algorithm `json:"signing_alg,omitzero" doc:"Algorithm that tokens for the API must be signed with. If absent, any algorithm is accepted."`
	SkipConsent      bool                 `json:"skip_consent" doc:"Whether apps can act for people at the API without asking for consent."`
	Confirmed        bool                 `json:"confirmed" doc:"Whether the API was registered. If false, an app was merely the first to request the audience."`
	Origin           resource.Origin      `json:"origin" doc:"How the audience was claimed: by the first request of an app, by a member of the workspace, or by a superadmin." jsonschema:"enum=first_use,enum=workspace,enum=superadmin"`
	CreatedAt        time.Time            `json:"created_at" doc:"Time the audience was claimed."`
	UpdatedAt        time.Time            `json:"updated_at" doc:"Time the API was last changed."`
}

// Scope is a scope of an API in results.
type Scope struct {
	Name        app.Scope `json:"name" doc:"Name of the scope, as in the scope claim of tokens."`
	Description string    `json:"description" doc:"Description of what the scope lets an app do, or empty."`
}

// Result is an API after a change.
type Result struct {
	Resource Resource `json:"resource" doc:"The API after the change."`
}

func show(s resource.Snapshot) Resource {
	shown := Resource{
		ID: s.ID, Identifier: s.Identifier, Name: s.Name, Scopes: make([]Scope, len(s.Scopes)),
		AccessTTLSeconds: int(s.AccessTTL / time.Second), SigningAlg: s.SigningAlg, SkipConsent: s.SkipConsent,
		Confirmed: s.Origin != resource.FirstUse, Origin: s.Origin, CreatedAt: s.CreatedAt, UpdatedAt: s.UpdatedAt,
	}
	if s.OrgID != "" {
		shown.OrgID = &s.OrgID
	}
	for i, scope := range s.Scopes {
		shown.Scopes[i] = Scope{Name: scope.Name, Description: string(scope.Description)}
	}
	return shown
}
