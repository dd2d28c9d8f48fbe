package group

import (
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of groups.
const (
	KindCreated       event.Kind = "group.created"
	KindUpdated       event.Kind = "group.updated"
	KindDeleted       event.Kind = "group.deleted"
	KindRolesSet      event.Kind = "group.roles_set"
	KindMemberAdded   event.Kind = "group_member.added"
	KindMemberRemoved event.Kind = "group_member.removed"
)

// Created is the content of group.created.
type Created struct {
	GroupID ID           `json:"group_id" doc:"ID of the new group."`
	OrgID   workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Name    string       `json:"name" doc:"Name of the group."`
	Roles   []string     `json:"roles" doc:"Names of the roles that every member of the group holds."`
}

// Updated is the content of group.updated.
type Updated struct {
	GroupID ID           `json:"group_id" doc:"ID of the group."`
	OrgID   workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Name    string       `json:"name" doc:"Name of the group after the change."`
	Changed []string     `json:"changed" doc:"Names of the changed fields."`
}

// Deleted is the content of group.deleted.
type Deleted struct {
	GroupID ID           `json:"group_id" doc:"ID of the deleted group."`
	OrgID   workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Name    string       `json:"name" doc:"Name of the deleted group."`
}

// RolesSet is the content of group.roles_set.
type RolesSet struct {
	GroupID ID           `json:"group_id" doc:"ID of the group."`
	OrgID   workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Name    string       `json:"name" doc:"Name of the group."`
	Roles   []string     `json:"roles" doc:"Names of the roles that every member of the group now holds."`
}

// MemberAdded is the content of group_member.added.
type MemberAdded struct {
	GroupID ID           `json:"group_id" doc:"ID of the group."`
	OrgID   workspace.ID `json:"org_id" doc:"ID of the workspace."`
	UserID  user.ID      `json:"user_id" doc:"ID of the added member."`
}

// MemberRemoved is the content of group_member.removed.
type MemberRemoved struct {
	GroupID ID           `json:"group_id" doc:"ID of the group."`
	OrgID   workspace.ID `json:"org_id" doc:"ID of the workspace."`
	UserID  user.ID      `json:"user_id" doc:"ID of the removed member."`
}

func (Created) Kind() event.Kind       { return KindCreated }
func (Updated) Kind() event.Kind       { return KindUpdated }
func (Deleted) Kind() event.Kind       { return KindDeleted }
func (RolesSet) Kind() event.Kind      { return KindRolesSet }
func (MemberAdded) Kind() event.Kind   { return KindMemberAdded }
func (MemberRemoved) Kind() event.Kind { return KindMemberRemoved }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		ops    = ID("grp_01jd7x9k2mf3q8v5t0abcdefgh")
		org    = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
		person = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
		name   = "Operations"
	)
	return []event.Definition{
		{Summary: "A group was created.", Example: Created{ops, org, name, []string{"editor"}}},
		{Summary: "A group was updated.", Example: Updated{ops, org, name, []string{"name"}}},
		{Summary: "A group was deleted.", Example: Deleted{ops, org, name}},
		{Summary: "The roles of a group were set.", Example: RolesSet{ops, org, name, []string{"editor"}}},
		{Summary: "A member was added to a group.", Example: MemberAdded{ops, org, person}},
		{Summary: "A member was removed from a group.", Example: MemberRemoved{ops, org, person}},
	}
}
