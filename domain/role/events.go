package role

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of roles and own permissions.
const (
	KindCreated           event.Kind = "role.created"
	KindUpdated           event.Kind = "role.updated"
	KindDeleted           event.Kind = "role.deleted"
	KindPermissionCreated event.Kind = "permission.created"
	KindPermissionDeleted event.Kind = "permission.deleted"
)

// Created is the content of role.created.
type Created struct {
	RoleID      ID           `json:"role_id" doc:"ID of the new role."`
	OrgID       workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Name        string       `json:"name" doc:"Name of the role."`
	Permissions []string     `json:"permissions" doc:"Permissions that the role grants directly."`
}

// Updated is the content of role.updated.
type Updated struct {
	RoleID      ID           `json:"role_id" doc:"ID of the role."`
	OrgID       workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Name        string       `json:"name" doc:"Name of the role after the change."`
	Permissions []string     `json:"permissions" doc:"Permissions that the role grants directly after the change."`
	Changed     []string     `json:"changed" doc:"Names of the changed fields."`
}

// Deleted is the content of role.deleted.
type Deleted struct {
	RoleID       ID           `json:"role_id" doc:"ID of the deleted role."`
	OrgID        workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Name         string       `json:"name" doc:"Name of the deleted role."`
	ReplacedWith string       `json:"replaced_with" doc:"Name of the replacement role. Empty if the role was not in use."`
}

// PermissionCreated is the content of permission.created.
type PermissionCreated struct {
	OrgID      workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Permission string       `json:"permission" doc:"The new permission."`
}

// PermissionDeleted is the content of permission.deleted.
type PermissionDeleted struct {
	OrgID      workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Permission string       `json:"permission" doc:"The deleted permission. It was also removed from the roles that carried it."`
}

func (Created) Kind() event.Kind           { return KindCreated }
func (Updated) Kind() event.Kind           { return KindUpdated }
func (Deleted) Kind() event.Kind           { return KindDeleted }
func (PermissionCreated) Kind() event.Kind { return KindPermissionCreated }
func (PermissionDeleted) Kind() event.Kind { return KindPermissionDeleted }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		editor = ID("rol_01jd7x9k2mf3q8v5t0abcdefgh")
		org    = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		name   = "Editor"

		permission = "docs:write"
	)
	grants := []string{"flows:read", "flows:write"}
	return []event.Definition{
		{Summary: "A custom role was defined.", Example: Created{editor, org, name, grants}},
		{Summary: "A custom role was updated.", Example: Updated{editor, org, name, grants, []string{"permissions"}}},
		{Summary: "A custom role was deleted.", Example: Deleted{editor, org, name, "member"}},
		{Summary: "A custom permission was created.", Example: PermissionCreated{org, permission}},
		{Summary: "A custom permission was deleted.", Example: PermissionDeleted{org, permission}},
	}
}
