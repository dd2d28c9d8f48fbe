package workspace

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// Kinds of events of workspaces.
const (
	KindCreated        event.Kind = "team.created"
	KindMemberAdded    event.Kind = "team_member.added"
	KindRoleAssigned   event.Kind = "role.assigned"
	KindRoleUnassigned event.Kind = "role.unassigned"
)

// Created is the content of team.created.
type Created struct {
	OrgID    ID      `json:"org_id" doc:"The new workspace."`
	OwnerID  user.ID `json:"owner_id" doc:"Its owner."`
	Personal bool    `json:"personal" doc:"Whether it came with an account and goes with it."`
}

// MemberAdded is the content of team_member.added.
type MemberAdded struct {
	OrgID  ID      `json:"org_id" doc:"The workspace."`
	UserID user.ID `json:"user_id" doc:"Who joined."`
	Role   string  `json:"role" doc:"The first role."`
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

func about(org ID, person user.ID) event.Concern {
	return event.Concern{OrgID: org.String(), UserID: person.String()}
}

func (Created) Kind() event.Kind        { return KindCreated }
func (MemberAdded) Kind() event.Kind    { return KindMemberAdded }
func (RoleAssigned) Kind() event.Kind   { return KindRoleAssigned }
func (RoleUnassigned) Kind() event.Kind { return KindRoleUnassigned }

func (e Created) Concerns() event.Concern        { return about(e.OrgID, e.OwnerID) }
func (e MemberAdded) Concerns() event.Concern    { return about(e.OrgID, e.UserID) }
func (e RoleAssigned) Concerns() event.Concern   { return about(e.OrgID, e.UserID) }
func (e RoleUnassigned) Concerns() event.Concern { return about(e.OrgID, e.UserID) }

// Events describes the kinds of this package for the catalogue.
func Events() []event.Definition {
	const (
		org    = ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	return []event.Definition{
		{Summary: "A workspace was made.", Example: Created{org, person, true}},
		{Summary: "Somebody joined a workspace.", Example: MemberAdded{org, person, "member"}},
		{Summary: "A role was given.", Example: RoleAssigned{OrgID: org, UserID: person, Role: "admin"}},
		{Summary: "A role was taken.", Example: RoleUnassigned{org, person, "admin"}},
	}
}
