package workspace

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Kinds of events of workspaces.
const (
	KindCreated        event.Kind = "team.created"
	KindUpdated        event.Kind = "team.updated"
	KindTransferred    event.Kind = "team.ownership_transferred"
	KindDisabled       event.Kind = "team.disabled"
	KindEnabled        event.Kind = "team.enabled"
	KindDeleted        event.Kind = "team.deleted"
	KindMemberAdded    event.Kind = "team_member.added"
	KindMemberRemoved  event.Kind = "team_member.removed"
	KindRoleAssigned   event.Kind = "role.assigned"
	KindRoleUnassigned event.Kind = "role.unassigned"
)

// Created is the content of team.created.
type Created struct {
	OrgID    ID      `json:"org_id" doc:"ID of the new workspace."`
	OwnerID  user.ID `json:"owner_id" doc:"ID of the owner."`
	Personal bool    `json:"personal" doc:"Whether this is the personal workspace of an account, created and deleted with it."`
	Name     string  `json:"name" doc:"Display name."`
	Slug     Slug    `json:"slug" doc:"Short name for use in links."`
}

// Updated is the content of team.updated.
type Updated struct {
	OrgID   ID       `json:"org_id" doc:"ID of the workspace."`
	Changed []string `json:"changed" doc:"Names of the changed fields."`
}

// Disabled is the content of team.disabled.
type Disabled struct {
	OrgID  ID     `json:"org_id" doc:"ID of the workspace."`
	Reason string `json:"reason,omitzero" doc:"Reason given for the suspension."`
}

// Enabled is the content of team.enabled.
type Enabled struct {
	OrgID ID `json:"org_id" doc:"ID of the workspace."`
}

// Deleted is the content of team.deleted.
type Deleted struct {
	OrgID ID   `json:"org_id" doc:"ID of the deleted workspace."`
	Slug  Slug `json:"slug" doc:"Short name of the workspace in links. Stays reserved for 30 days."`
}

// MemberAdded is the content of team_member.added.
type MemberAdded struct {
	OrgID  ID      `json:"org_id" doc:"ID of the workspace."`
	UserID user.ID `json:"user_id" doc:"ID of the new member."`
	Role   string  `json:"role" doc:"Name of the member's first role."`
}

// MemberRemoved is the content of team_member.removed.
type MemberRemoved struct {
	OrgID  ID      `json:"org_id" doc:"ID of the workspace."`
	UserID user.ID `json:"user_id" doc:"ID of the former member."`
	Left   bool    `json:"left" doc:"Whether the member left voluntarily."`
}

// Transferred is the content of team.ownership_transferred.
type Transferred struct {
	OrgID  ID      `json:"org_id" doc:"ID of the workspace."`
	UserID user.ID `json:"user_id" doc:"ID of the new owner."`
	FromID user.ID `json:"from_user_id,omitzero" doc:"ID of the previous owner. Omitted if the caller was not an owner."`
}

// RoleAssigned is the content of role.assigned.
type RoleAssigned struct {
	OrgID     ID        `json:"org_id" doc:"ID of the workspace."`
	UserID    user.ID   `json:"user_id" doc:"ID of the member who got the role."`
	Role      string    `json:"role" doc:"Name of the role."`
	ExpiresAt time.Time `json:"expires_at,omitzero" doc:"When the assignment expires. Omitted if it does not expire."`
}

// RoleUnassigned is the content of role.unassigned.
type RoleUnassigned struct {
	OrgID  ID      `json:"org_id" doc:"ID of the workspace."`
	UserID user.ID `json:"user_id" doc:"ID of the member who lost the role."`
	Role   string  `json:"role" doc:"Name of the role."`
}

func (Created) Kind() event.Kind        { return KindCreated }
func (Updated) Kind() event.Kind        { return KindUpdated }
func (Disabled) Kind() event.Kind       { return KindDisabled }
func (Enabled) Kind() event.Kind        { return KindEnabled }
func (Deleted) Kind() event.Kind        { return KindDeleted }
func (MemberAdded) Kind() event.Kind    { return KindMemberAdded }
func (MemberRemoved) Kind() event.Kind  { return KindMemberRemoved }
func (Transferred) Kind() event.Kind    { return KindTransferred }
func (RoleAssigned) Kind() event.Kind   { return KindRoleAssigned }
func (RoleUnassigned) Kind() event.Kind { return KindRoleUnassigned }

func (e Created) Concerns() event.Concern {
	return event.Concern{OrgID: e.OrgID.String(), UserID: e.OwnerID.String()}
}

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		org    = ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	return []event.Definition{
		{Summary: "A workspace was created.", Example: Created{org, person, false, "Analytical Engines", "analytical-engines"}},
		{Summary: "A workspace was updated.", Example: Updated{org, []string{"name"}}},
		{Summary: "A workspace was suspended.", Example: Disabled{org, "unpaid"}},
		{Summary: "The suspension of a workspace was lifted.", Example: Enabled{org}},
		{Summary: "A workspace was deleted with everything it owned.", Example: Deleted{org, "analytical-engines"}},
		{Summary: "A member was added to a workspace.", Example: MemberAdded{org, person, "member"}},
		{Summary: "A member left or was removed from a workspace.", Example: MemberRemoved{org, person, true}},
		{Summary: "The ownership of a workspace was transferred.", Example: Transferred{org, person, "usr_01jd7x9k2mf3q8v5t0abcdefgj"}},
		{Summary: "A role was assigned to a member.", Example: RoleAssigned{OrgID: org, UserID: person, Role: "admin"}},
		{Summary: "A role was removed from a member.", Example: RoleUnassigned{org, person, "admin"}},
	}
}
