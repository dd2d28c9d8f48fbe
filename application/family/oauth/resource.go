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
	ID               resource.ID          `json:"id" doc:"Identifier of the API."`
	OrgID            *workspace.ID        `json:"org_id" doc:"The workspace it belongs to; null for the instance: it is for every app that a superadmin granted one of its scopes."`
	Identifier       string               `json:"identifier" doc:"The audience: what stands in the aud of tokens for it."`
	Name             string               `json:"name" doc:"Name to show."`
	Scopes           []Scope              `json:"scopes" doc:"What may be done there; with none, apps may ask for any scope."`
	AccessTTLSeconds int                  `json:"access_ttl_seconds" doc:"Seconds that tokens for it live at most; 0: what the app has."`
	SigningAlg       signingkey.Algorithm `json:"signing_alg,omitzero" doc:"What tokens for it must be signed with; absent: whatever the instance signs with."`
	SkipConsent      bool                 `json:"skip_consent" doc:"Whether people are not asked before an app acts there for them."`
	Confirmed        bool                 `json:"confirmed" doc:"Whether somebody registered it, and not merely an app asked for the audience first."`
	Origin           resource.Origin      `json:"origin" doc:"Who claimed the audience: an app by asking first, somebody of the workspace, or a superadmin." jsonschema:"enum=first_use,enum=workspace,enum=superadmin"`
	CreatedAt        time.Time            `json:"created_at" doc:"When the audience was claimed."`
	UpdatedAt        time.Time            `json:"updated_at" doc:"When it last changed."`
}

// Scope is a scope of an API in results.
type Scope struct {
	Name        app.Scope `json:"name" doc:"What stands in the scope of a token."`
	Description string    `json:"description" doc:"What it lets an app do, or empty."`
}

// Result is an API after a change.
type Result struct {
	Resource Resource `json:"resource" doc:"The API as it stands."`
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
