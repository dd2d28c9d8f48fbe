// Package group defines groups of members of a workspace. Members have the roles of
// their groups (spec/workspaces.md section 4). Groups cannot be nested.
package group

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/workspace"
)

// Errors of groups.
var (
	ErrNotFound      = fault.New(fault.NotFound, "no such group")
	ErrTooMany       = fault.LimitReached("group", workspace.MaxGroups, "delete unused groups")
	ErrNameTaken     = fault.Unfit("/name", "is already the name of another group in this workspace")
	ErrExternalTaken = fault.Unfit("/external_id", "is already the external ID of another group in this workspace")
)

type idKind struct{}

func (idKind) Prefix() string { return "grp" }

// ID identifies a group.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Snapshot is the stored state of a group.
type Snapshot struct {
	ID          ID `audit:"id"`
	OrgID       workspace.ID
	Name        workspace.Label `audit:"name"`
	Description string          `audit:"description"`
	// ExternalID is its identifier in the system it comes from, or empty.
	ExternalID string `audit:"external_id"`
	// Roles are the keys of the roles that its members hold (role.Role.Key).
	Roles                []string `audit:"roles"`
	CreatedAt, UpdatedAt time.Time
}

// Group is one group.
type Group struct {
	aggregate.Root
	s Snapshot
}

// Draft are the attributes of a new group.
type Draft struct {
	ID          ID
	OrgID       workspace.ID
	Name        workspace.Label
	Description string
	ExternalID  string
	Roles       []workspace.RoleRef
}

// Form makes a group without members.
func Form(d Draft, now time.Time) *Group {
	g := &Group{s: Snapshot{
		ID: d.ID, OrgID: d.OrgID, Name: d.Name, Description: d.Description, ExternalID: d.ExternalID,
		Roles: keys(d.Roles), CreatedAt: now, UpdatedAt: now,
	}}
	g.Track(&g.s)
	g.Raise(Created{GroupID: d.ID, OrgID: d.OrgID, Name: string(d.Name), Roles: names(d.Roles)})
	return g
}

// Restore returns the group that was stored.
func Restore(s Snapshot, version int64) *Group {
	g := &Group{Root: aggregate.At(version), s: s}
	g.Track(&g.s)
	return g
}

// Snapshot returns the state to store.
func (g *Group) Snapshot() Snapshot { return g.s }

// Change is a partial update of a group; nil fields stay unchanged.
type Change struct {
	Name        *workspace.Label
	Description *string
	ExternalID  *string
}

// Update changes fields of the group. What stays the same raises nothing.
func (g *Group) Update(c Change, now time.Time) {
	var changed aggregate.Changes
	aggregate.Put(&changed, "name", &g.s.Name, c.Name)
	aggregate.Put(&changed, "description", &g.s.Description, c.Description)
	aggregate.Put(&changed, "external_id", &g.s.ExternalID, c.ExternalID)
	if changed == nil {
		return
	}
	g.s.UpdatedAt = now
	g.Raise(Updated{GroupID: g.s.ID, OrgID: g.s.OrgID, Name: string(g.s.Name), Changed: changed})
}

// SetRoles puts roles in place of those that the group had. The same ones again raise
// nothing.
func (g *Group) SetRoles(roles []workspace.RoleRef, now time.Time) {
	wanted := keys(roles)
	if slices.Equal(wanted, g.s.Roles) {
		return
	}
	g.s.Roles, g.s.UpdatedAt = wanted, now
	g.Raise(RolesSet{GroupID: g.s.ID, OrgID: g.s.OrgID, Name: string(g.s.Name), Roles: names(roles)})
}

// Delete ends the group. It is for the store to remove it.
func (g *Group) Delete() {
	g.Raise(Deleted{GroupID: g.s.ID, OrgID: g.s.OrgID, Name: string(g.s.Name)})
}

// keys returns those of roles, each once, in order.
func keys(roles []workspace.RoleRef) []string {
	var all []string
	for _, r := range roles {
		all = append(all, r.Key)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func names(roles []workspace.RoleRef) []string {
	all := make([]string, 0, len(roles))
	for _, r := range roles {
		all = append(all, r.Name)
	}
	return all
}
