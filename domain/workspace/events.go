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
	OrgID    ID      `json:"org_id" doc:"The new workspace."`
	OwnerID  user.ID `json:"owner_id" doc:"Its owner."`
	Personal bool    `json:"personal" doc:"Whether it came with an account and goes with it."`
	Name     string  `json:"name" doc:"Its name."`
	Slug     Slug    `json:"slug" doc:"What it is addressed by in links."`
}

// Updated is the content of team.updated.
type Updated struct {
	OrgID   ID       `json:"org_id" doc:"The workspace."`
	Changed []string `json:"changed" doc:"Names of the fields that changed."`
}

// Disabled is the content of team.disabled.
type Disabled struct {
	OrgID  ID     `json:"org_id" doc:"The workspace."`
	Reason string `json:"reason,omitzero" doc:"Why, in the words of who suspended it."`
}

// Enabled is the content of team.enabled.
type Enabled struct {
	OrgID ID `json:"org_id" doc:"The workspace."`
}

// Deleted is the content of team.deleted.
type Deleted struct {
	OrgID ID   `json:"org_id" doc:"The workspace that was."`
	Slug  Slug `json:"slug" doc:"What it was addressed by in links; nobody else gets it for 30 days."`
}

// MemberAdded is the content of team_member.added.
type MemberAdded struct {
	OrgID  ID      `json:"org_id" doc:"The workspace."`
	UserID user.ID `json:"user_id" doc:"Who joined."`
	Role   string  `json:"role" doc:"The first role."`
}

// MemberRemoved is the content of team_member.removed.
type MemberRemoved struct {
	OrgID  ID      `json:"org_id" doc:"The workspace."`
	UserID user.ID `json:"user_id" doc:"Who does not belong to it any more."`
	Left   bool    `json:"left" doc:"Whether they left by themselves."`
}

// Transferred is the content of team.ownership_transferred.
type Transferred struct {
	OrgID  ID      `json:"org_id" doc:"The workspace."`
	UserID user.ID `json:"user_id" doc:"Who owns it now."`
	FromID user.ID `json:"from_user_id,omitzero" doc:"Who handed it over; absent when it was no owner."`
}

// RoleAssigned is the content of role.assigned.
type RoleAssigned struct {
	OrgID     ID        `json:"org_id" doc:"The workspace."`
	UserID    user.ID   `json:"user_id" doc:"Who got the role."`
	Role      string    `json:"role" doc:"Name of the role."`
	ExpiresAt time.Time `json:"expires_at,omitzero" doc:"When it ends by itself; absent: never."`
}

// RoleUnassigned is the content of role.unassigned.
type RoleUnassigned struct {
	OrgID  ID      `json:"org_id" doc:"The workspace."`
	UserID user.ID `json:"user_id" doc:"Who lost the role."`
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
		{Summary: "A workspace was made.", Example: Created{org, person, false, "Analytical Engines", "analytical-engines"}},
		{Summary: "Fields of a workspace changed.", Example: Updated{org, []string{"name"}}},
		{Summary: "A workspace was suspended: nobody can act in it.", Example: Disabled{org, "unpaid"}},
		{Summary: "The suspension of a workspace was lifted.", Example: Enabled{org}},
		{Summary: "A workspace was deleted with all it owned.", Example: Deleted{org, "analytical-engines"}},
		{Summary: "Somebody joined a workspace.", Example: MemberAdded{org, person, "member"}},
		{Summary: "Somebody does not belong to a workspace any more.", Example: MemberRemoved{org, person, true}},
		{Summary: "The ownership of a workspace was handed over.", Example: Transferred{org, person, "usr_01jd7x9k2mf3q8v5t0abcdefgj"}},
		{Summary: "A role was given.", Example: RoleAssigned{OrgID: org, UserID: person, Role: "admin"}},
		{Summary: "A role was taken.", Example: RoleUnassigned{org, person, "admin"}},
	}
}
