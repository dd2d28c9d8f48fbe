package resource

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of resources.
const (
	KindCreated event.Kind = "oauth_resource.created"
	KindUpdated event.Kind = "oauth_resource.updated"
	KindDeleted event.Kind = "oauth_resource.deleted"
)

// Created is the content of oauth_resource.created.
type Created struct {
	ResourceID ID           `json:"resource_id" doc:"The API."`
	OrgID      workspace.ID `json:"org_id,omitzero" doc:"The workspace it belongs to; absent: the instance."`
	Identifier string       `json:"identifier" doc:"The audience."`
	Origin     Origin       `json:"origin" doc:"Who claimed it: an app of the workspace by asking first, somebody of the workspace, or a superadmin." jsonschema:"enum=first_use,enum=workspace,enum=superadmin"`
}

// Updated is the content of oauth_resource.updated.
type Updated struct {
	ResourceID    ID           `json:"resource_id" doc:"The API."`
	OrgID         workspace.ID `json:"org_id,omitzero" doc:"The workspace it belongs to now; absent: the instance."`
	PreviousOrgID workspace.ID `json:"previous_org_id,omitzero" doc:"The workspace it belonged to before, absent for the instance; the same unless it was moved."`
	Identifier    string       `json:"identifier" doc:"The audience."`
	Changed       []string     `json:"changed" doc:"Names of the fields that changed."`

	// filed is the workspace that the event is filed under.
	filed workspace.ID
}

// Deleted is the content of oauth_resource.deleted.
type Deleted struct {
	ResourceID ID           `json:"resource_id" doc:"The API that is gone."`
	OrgID      workspace.ID `json:"org_id,omitzero" doc:"The workspace it belonged to; absent: the instance."`
	Identifier string       `json:"identifier" doc:"The audience, which stays with the workspace."`
}

func (Created) Kind() event.Kind { return KindCreated }
func (Updated) Kind() event.Kind { return KindUpdated }
func (Deleted) Kind() event.Kind { return KindDeleted }

func (e Updated) Concerns() event.Concern { return event.Concern{OrgID: e.filed.String()} }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		api = ID("rsv_01jd7x9k2mf3q8v5t0abcdefgh")
		org = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		url = "https://api.example.com"
	)
	return []event.Definition{
		{Summary: "An API was registered as audience, or an audience was claimed by first use.", Example: Created{api, org, url, FirstUse}},
		{Summary: "An API was changed, or moved to another workspace, which ends the tokens for it.", Example: Updated{api, org, org, url, []string{"scopes"}, org}},
		{Summary: "An API was deleted; tokens for it are issued no more.", Example: Deleted{api, org, url}},
	}
}
