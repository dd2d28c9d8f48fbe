package role

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/workspace"
)

// MemberGrants are the grants of a member of a workspace, at one point in time.
type MemberGrants struct {
	Org    workspace.ID
	Grants []workspace.Grant
	Groups []group.ID
	// Rights is the version of the workspace's roles at that moment; 0 where nothing was
	// ever defined there.
	Rights int64
}

// EffectiveRoles are the resulting roles and permissions at a time.
type EffectiveRoles struct {
	// Roles are the names of all their roles: those given to them, then those of their
	// groups, each once.
	Roles []string
	// Permissions are all that the roles grant together.
	Permissions access.Permissions

	book *Book
	held MemberGrants
	at   time.Time
}

// Standing resolves grants at a time.
func (b *Book) Standing(h MemberGrants, now time.Time) EffectiveRoles {
	keys := b.effective(h, now)
	return EffectiveRoles{Roles: b.Names(keys), Permissions: b.Granted(keys), book: b, held: h, at: now}
}

// effective returns the keys of all roles of a holding, each once.
func (b *Book) effective(h MemberGrants, now time.Time) []string {
	keys := make([]string, 0, len(h.Grants))
	for _, key := range workspace.LiveRoles(h.Grants, now) {
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	for _, of := range h.Groups {
		for _, key := range b.groups[of].Roles {
			if !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return keys
}

// Book returns the roles of a workspace as they were at that moment; nil of another one.
func (s EffectiveRoles) Book(of workspace.ID) *Book {
	if s.held.Org != of {
		return nil
	}
	return s.book
}

// Groups returns the groups of the person in the workspace.
func (s EffectiveRoles) Groups() []group.ID { return s.held.Groups }

// GroupNames returns the names of the person's groups, sorted; not nil.
func (s EffectiveRoles) GroupNames() []string {
	names := make([]string, 0, len(s.held.Groups))
	for _, of := range s.held.Groups {
		if known, is := s.book.group(of); is {
			names = append(names, known.Name)
		}
	}
	slices.Sort(names)
	return names
}

// Own lists the own permissions of the workspace that the standing covers, in order.
func (s EffectiveRoles) Own() []string {
	covered := []string{}
	if s.book == nil {
		return covered
	}
	for _, own := range s.book.own {
		if s.Permissions.Cover(own) {
			covered = append(covered, own)
		}
	}
	return covered
}

// Via names the first way to a permission; "" where none leads to it.
func (s EffectiveRoles) Via(permission string) string {
	for _, way := range s.Ways() {
		if way.Role.Permissions.Cover(permission) {
			return way.String()
		}
	}
	return ""
}

// Has returns the first way to a role; false where it is not held.
func (s EffectiveRoles) Has(key string) (GrantPath, bool) {
	ways := s.Ways()
	at := slices.IndexFunc(ways, func(w GrantPath) bool { return w.Role.Key() == key })
	if at < 0 {
		return GrantPath{}, false
	}
	return ways[at], true
}

// GrantPath is how a person got a role: directly or by a group.
type GrantPath struct {
	Role Role
	// Group is the name of the group that grants it; empty where it was given to them.
	Group string
	// ExpiresAt is when it ends by itself; unset: never.
	ExpiresAt time.Time
}

// String writes the way as role:editor or group:ops/role:editor.
func (w GrantPath) String() string {
	if w.Group == "" {
		return "role:" + w.Role.Name
	}
	return "group:" + w.Group + "/role:" + w.Role.Name
}

// Ways returns how the person has each role: direct grants first, then those of groups,
// sorted by group name.
func (s EffectiveRoles) Ways() []GrantPath {
	if s.book == nil {
		return nil
	}
	b, h := s.book, s.held
	var ways []GrantPath
	for _, grant := range h.Grants {
		if held, known := b.roles[grant.Role]; known && grant.Live(s.at) {
			ways = append(ways, GrantPath{Role: held, ExpiresAt: grant.ExpiresAt})
		}
	}
	groups := make([]Group, 0, len(h.Groups))
	for _, of := range h.Groups {
		groups = append(groups, b.groups[of])
	}
	slices.SortFunc(groups, func(x, y Group) int { return cmp.Compare(strings.ToLower(x.Name), strings.ToLower(y.Name)) })
	for _, of := range groups {
		for _, key := range of.Roles {
			if held, known := b.roles[key]; known {
				ways = append(ways, GrantPath{Role: held, Group: of.Name})
			}
		}
	}
	return ways
}

// Carriers are the roles and groups that grant a permission.
type Carriers struct {
	Roles  []string
	Groups []group.ID
}

// Carrying returns what grants a permission.
func (b *Book) Carrying(permission string) Carriers {
	return b.carriers(func(r Role) bool { return r.Permissions.Cover(permission) })
}

// Holding returns what grants a role.
func (b *Book) Holding(key string) Carriers {
	return b.carriers(func(r Role) bool { return r.Key() == key })
}

func (b *Book) carriers(wanted func(Role) bool) Carriers {
	var c Carriers
	for key, r := range b.roles {
		if wanted(r) {
			c.Roles = append(c.Roles, key)
		}
	}
	slices.Sort(c.Roles)
	for of, grants := range b.groups {
		if slices.ContainsFunc(grants.Roles, func(key string) bool { return slices.Contains(c.Roles, key) }) {
			c.Groups = append(c.Groups, of)
		}
	}
	slices.Sort(c.Groups)
	return c
}
