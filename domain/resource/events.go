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
	ResourceID ID           `json:"resource_id" doc:"ID of the API."`
	OrgID      workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace that owns the API. Absent for an API of the instance."`
	Identifier string       `json:"identifier" doc:"Audience of the API."`
	Origin     Origin       `json:"origin" doc:"How the audience was claimed: by the first request of an app, by a member of the workspace, or by a superadmin." jsonschema:"enum=first_use,enum=workspace,enum=superadmin"`
}

// Updated is the content of oauth_resource.updated.
type Updated struct {
	ResourceID    ID           `json:"resource_id" doc:"ID of the API."`
	OrgID         workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace that owns the API after the change. Absent for an API of the instance."`
	PreviousOrgID workspace.ID `json:"previous_org_id,omitzero" doc:"ID of the workspace that owned the API before the change. Same as org_id unless the API was moved. Absent for an API of the instance."`
	Identifier    string       `json:"identifier" doc:"Audience of the API."`
	Changed       []string     `json:"changed" doc:"Names of the changed fields."`

	// filed is the workspace that the event is filed under.
	filed workspace.ID
}

// Deleted is the content of oauth_resource.deleted.
type Deleted struct {
	ResourceID ID           `json:"resource_id" doc:"ID of the deleted API."`
	OrgID      workspace.ID `json:"org_id,omitzero" doc:"ID of the workspace that owned the API. Absent for an API of the instance."`
	Identifier string       `json:"identifier" doc:"Audience of the API, which stays reserved for the workspace."`
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
		{Summary: "An API was registered as an audience, or an audience was claimed by first use.", Example: Created{api, org, url, FirstUse}},
		{Summary: "An API was changed, or moved to another workspace, which revokes the tokens for it.", Example: Updated{api, org, org, url, []string{"scopes"}, org}},
		{Summary: "An API was deleted. No more tokens are issued for it.", Example: Deleted{api, org, url}},
	}
}
