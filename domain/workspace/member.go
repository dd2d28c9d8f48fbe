package workspace

import (
	"slices"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/user"
)

// Grant is a role that a member holds, for good or until a time. It names the role by
// its key.
type Grant struct {
	Role      string    `json:"role"`
	ExpiresAt time.Time `json:"expires_at,omitzero"`
}

// Live reports whether the grant is valid at a time.
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

// JoinOther is like Join for an existing workspace, with an event.
func JoinOther(org ID, person user.ID, role RoleRef, now time.Time) *Member {
	m := Join(org, person, role.Key, now)
	m.Raise(MemberAdded{OrgID: org, UserID: person, Role: role.Name})
	return m
}

// RestoreMember returns the membership that was stored.
func RestoreMember(s MemberSnapshot, version int64) *Member {
	return &Member{Root: aggregate.At(version), s: s}
}

// Snapshot returns the state to store.
func (m *Member) Snapshot() MemberSnapshot { return m.s }

// Roles returns the keys of the roles that hold at a time.
func (m *Member) Roles(now time.Time) []string { return LiveRoles(m.s.Grants, now) }

// LiveRoles returns the keys of the grants that hold at a time.
func LiveRoles(grants []Grant, now time.Time) []string {
	roles := make([]string, 0, len(grants))
	for _, g := range grants {
		if g.Live(now) {
			roles = append(roles, g.Role)
		}
	}
	return roles
}

// Holds reports whether the member holds a role at a time.
func (m *Member) Holds(role string, now time.Time) bool {
	return slices.Contains(m.Roles(now), role)
}

// HoldsForGood reports whether the member holds a role without an end.
func (m *Member) HoldsForGood(role string) bool {
	return m.granted(Grant{Role: role})
}

func (m *Member) granted(wanted Grant) bool {
	return slices.ContainsFunc(m.s.Grants, func(g Grant) bool {
		return g.Role == wanted.Role && g.ExpiresAt.Equal(wanted.ExpiresAt)
	})
}

// Assign grants a role, permanently if until is zero; it replaces an earlier grant of
// the role. The same grant raises no event.
func (m *Member) Assign(role RoleRef, until time.Time) {
	if m.granted(Grant{Role: role.Key, ExpiresAt: until}) {
		return
	}
	m.drop(role.Key)
	m.s.Grants = append(m.s.Grants, Grant{Role: role.Key, ExpiresAt: until})
	m.Raise(RoleAssigned{OrgID: m.s.OrgID, UserID: m.s.UserID, Role: role.Name, ExpiresAt: until})
}

// Succeed creates a membership with the roles of another person, whose account is
// merged; role is the name of one of them.
func Succeed(other MemberSnapshot, person user.ID, role string, now time.Time) *Member {
	m := &Member{s: other}
	m.s.UserID, m.s.JoinedAt, m.s.Grants = person, now, slices.Clone(other.Grants)
	m.Raise(MemberAdded{OrgID: other.OrgID, UserID: person, Role: role})
	return m
}

// Inherit is like Assign for a grant of another person, with its expiry, unless the
// member has the role for longer.
func (m *Member) Inherit(g Grant, role RoleRef) {
	longer := func(own Grant) bool { return own.Role == g.Role && !g.outlasts(own) }
	if !slices.ContainsFunc(m.s.Grants, longer) {
		m.Assign(role, g.ExpiresAt)
	}
}

// Unassign takes a role. That an owner stays is the caller's to check, because
// it spans members. A role not held raises nothing.
func (m *Member) Unassign(role RoleRef) {
	if m.drop(role.Key) {
		m.Raise(RoleUnassigned{OrgID: m.s.OrgID, UserID: m.s.UserID, Role: role.Name})
	}
}

// Replace replaces a deleted role by another. It raises no event, since that of the
// deletion suffices. Of two equal grants, the longer one is kept.
func (m *Member) Replace(from, to string) {
	grants := make([]Grant, 0, len(m.s.Grants))
	for _, g := range m.s.Grants {
		if g.Role == from {
			g.Role = to
		}
		same := slices.IndexFunc(grants, func(other Grant) bool { return other.Role == g.Role })
		switch {
		case same < 0:
			grants = append(grants, g)
		case g.outlasts(grants[same]):
			grants[same] = g
		}
	}
	m.s.Grants = grants
}

// outlasts reports whether a grant ends later than another one.
func (g Grant) outlasts(other Grant) bool {
	return !other.ExpiresAt.IsZero() && (g.ExpiresAt.IsZero() || g.ExpiresAt.After(other.ExpiresAt))
}

func (m *Member) drop(role string) bool {
	before := len(m.s.Grants)
	m.s.Grants = slices.DeleteFunc(slices.Clone(m.s.Grants), func(g Grant) bool { return g.Role == role })
	return len(m.s.Grants) < before
}

// Remove ends the membership, with an event that contains the actor. The caller must
// check that an owner remains.
func (m *Member) Remove(by user.ID) {
	m.Raise(MemberRemoved{OrgID: m.s.OrgID, UserID: m.s.UserID, Left: by == m.s.UserID})
}

// Receive records a transfer of ownership; from is empty if the actor was not an owner.
func (m *Member) Receive(from user.ID) {
	m.Raise(Transferred{OrgID: m.s.OrgID, UserID: m.s.UserID, FromID: from})
}
