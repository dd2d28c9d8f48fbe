// Package workspace holds workspaces (a TEAM is a workspace) and who belongs to
// them with which roles (contract section 7). Every user has a personal one.
package workspace

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/id"
	"gatehouse.internal/domain/user"
)

// Errors of workspaces.
var (
	ErrNotFound  = fault.New(fault.NotFound, "no such workspace")
	ErrNotMember = fault.New(fault.NotFound, "no such member of the workspace")
	ErrLastOwner = fault.New(fault.Validation, "the last owner of a workspace cannot be taken away")
	ErrPersonal  = fault.New(fault.Validation, "in a personal workspace, whose it is stays an owner")
)

type idKind struct{}

func (idKind) Prefix() string { return "org" }

// ID identifies a workspace.
type ID = id.ID[idKind]

// NewID mints an identifier.
func NewID(m id.Minter) ID { return id.New[idKind](m) }

// Snapshot is the stored state of a workspace.
type Snapshot struct {
	ID   ID
	Name string
	// PersonalOf is whose account it came with and goes with; empty for one that
	// people made to share.
	PersonalOf user.ID
	CreatedAt  time.Time
}

// Personal tells whether it came with an account and goes with it.
func (s Snapshot) Personal() bool { return s.PersonalOf != "" }

// Workspace is a place that owns things and has members.
type Workspace struct {
	aggregate.Root
	s Snapshot
}

// NewPersonal makes the workspace that comes with an account.
func NewPersonal(id ID, owner user.ID, name string, now time.Time) *Workspace {
	w := &Workspace{s: Snapshot{ID: id, Name: name, PersonalOf: owner, CreatedAt: now}}
	w.Raise(Created{OrgID: id, OwnerID: owner, Personal: true})
	return w
}

// Restore gives the workspace that was stored.
func Restore(s Snapshot, version int64) *Workspace {
	return &Workspace{Root: aggregate.At(version), s: s}
}

// Snapshot gives the state to store.
func (w *Workspace) Snapshot() Snapshot { return w.s }

// ID is the workspace's identifier.
func (w *Workspace) ID() ID { return w.s.ID }

// Grant is a role that a member holds, for good or until a time.
type Grant struct {
	Role      string    `json:"role"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// Live tells whether the grant holds at a moment.
func (g Grant) Live(now time.Time) bool { return g.ExpiresAt.IsZero() || now.Before(g.ExpiresAt) }

// MemberSnapshot is the stored state of a membership.
type MemberSnapshot struct {
	OrgID    ID
	UserID   user.ID
	Grants   []Grant
	JoinedAt time.Time
}

// Member is one person's belonging to one workspace.
type Member struct {
	aggregate.Root
	s MemberSnapshot
}

// Join makes a membership with a first role.
func Join(org ID, person user.ID, role string, now time.Time) *Member {
	return &Member{s: MemberSnapshot{OrgID: org, UserID: person, Grants: []Grant{{Role: role}}, JoinedAt: now}}
}

// JoinOther is Join for a workspace that existed before; it is told as an event.
func JoinOther(org ID, person user.ID, role string, now time.Time) *Member {
	m := Join(org, person, role, now)
	m.Raise(MemberAdded{OrgID: org, UserID: person, Role: role})
	return m
}

// RestoreMember gives the membership that was stored.
func RestoreMember(s MemberSnapshot, version int64) *Member {
	return &Member{Root: aggregate.At(version), s: s}
}

// Snapshot gives the state to store.
func (m *Member) Snapshot() MemberSnapshot { return m.s }

// Roles are the names of the roles that hold at a moment.
func (m *Member) Roles(now time.Time) []string { return LiveRoles(m.s.Grants, now) }

// LiveRoles are the names of the grants that hold at a moment.
func LiveRoles(grants []Grant, now time.Time) []string {
	roles := make([]string, 0, len(grants))
	for _, g := range grants {
		if g.Live(now) {
			roles = append(roles, g.Role)
		}
	}
	return roles
}

// Holds tells whether the member holds a role at a moment.
func (m *Member) Holds(role string, now time.Time) bool {
	return slices.Contains(m.Roles(now), role)
}

// HoldsForGood tells whether the member holds a role without an end.
func (m *Member) HoldsForGood(role string) bool {
	return m.granted(Grant{Role: role})
}

func (m *Member) granted(wanted Grant) bool {
	return slices.ContainsFunc(m.s.Grants, func(g Grant) bool {
		return g.Role == wanted.Role && g.ExpiresAt.Equal(wanted.ExpiresAt)
	})
}

// Assign gives a role, for good when until is zero; it replaces an earlier grant
// of the role. The same grant again raises nothing.
func (m *Member) Assign(role string, until time.Time) {
	if m.granted(Grant{Role: role, ExpiresAt: until}) {
		return
	}
	m.drop(role)
	m.s.Grants = append(m.s.Grants, Grant{Role: role, ExpiresAt: until})
	m.Raise(RoleAssigned{OrgID: m.s.OrgID, UserID: m.s.UserID, Role: role, ExpiresAt: until})
}

// Unassign takes a role. That an owner stays is the caller's to check, because
// it spans members. A role not held raises nothing.
func (m *Member) Unassign(role string) {
	if m.drop(role) {
		m.Raise(RoleUnassigned{OrgID: m.s.OrgID, UserID: m.s.UserID, Role: role})
	}
}

func (m *Member) drop(role string) bool {
	before := len(m.s.Grants)
	m.s.Grants = slices.DeleteFunc(slices.Clone(m.s.Grants), func(g Grant) bool { return g.Role == role })
	return len(m.s.Grants) < before
}
