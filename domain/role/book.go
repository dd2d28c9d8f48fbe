package role

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/workspace"
)

// Book are all roles of a workspace at a version: built-in and custom ones with
// inheritance, roles of groups, and the workspace's own permissions. It is immutable.
type Book struct {
	version int64
	roles   map[string]Role
	// keys are those of the roles by their folded names.
	keys   map[string]string
	groups map[group.ID]Group
	own    []string
}

// Group is a group as far as it grants.
type Group struct {
	Name string
	// Roles are the keys of the roles that its members hold.
	Roles []string
}

// Content is the content of a Book.
type Content struct {
	// Version counts the changes of the workspace's roles, of its groups and their
	// roles, and of its own permissions.
	Version int64
	Roles   []Snapshot
	Groups  map[group.ID]Group
	// Own are the names of the own permissions.
	Own []string
}

// NewBook makes the book of a workspace.
func NewBook(c Content) *Book {
	b := &Book{
		version: c.Version, roles: make(map[string]Role, len(c.Roles)+3), keys: make(map[string]string, len(c.Roles)+3),
		groups: c.Groups, own: inOrder(c.Own),
	}
	for _, r := range Builtin() {
		b.add(r)
	}
	for _, s := range c.Roles {
		b.add(Role{
			ID: s.ID, Name: string(s.Name), Description: s.Description, Direct: s.Permissions, Permissions: s.Permissions, Inherits: s.Inherits,
		})
	}
	for key, r := range b.roles {
		if len(r.Inherits) > 0 {
			r.Permissions = b.expand(r)
			b.roles[key] = r
		}
	}
	return b
}

// Plain is the book of a workspace in which nothing was ever defined.
var Plain = sync.OnceValue(func() *Book { return NewBook(Content{}) }) //nolint:gochecknoglobals // a table that is never changed

// group returns a group of the workspace; false for one that it does not have.
func (b *Book) group(of group.ID) (Group, bool) {
	if b == nil {
		return Group{}, false
	}
	found, known := b.groups[of]
	return found, known
}

func (b *Book) add(r Role) {
	b.roles[r.Key()] = r
	b.keys[workspace.Label(r.Name).Folded()] = r.Key()
}

// expand returns all that a role grants.
func (b *Book) expand(r Role) access.Permissions {
	seen := map[string]bool{r.Key(): true}
	var all access.Permissions
	for next := []Role{r}; len(next) > 0; next = next[1:] {
		all = append(all, next[0].Direct...)
		for _, key := range next[0].Inherits {
			if inherited, known := b.roles[key]; known && !seen[key] {
				seen[key] = true
				next = append(next, inherited)
			}
		}
	}
	return inOrder(all)
}

// Version returns that of the workspace's roles in the book.
func (b *Book) Version() int64 { return b.version }

// Size returns about how many bytes the book holds in memory.
func (b *Book) Size() int {
	const word, entry = 16, 128
	size := entry * (1 + len(b.roles) + len(b.groups) + len(b.own))
	for _, r := range b.roles {
		size += len(r.Name) + len(r.Description) + word*(len(r.Permissions)+len(r.Inherits))
		for _, p := range r.Direct {
			size += word + len(p)
		}
	}
	for _, g := range b.groups {
		size += len(g.Name) + 3*word*len(g.Roles)
	}
	return size
}

// Named returns the role of a name, whatever its case. It fails with ErrUnknown.
func (b *Book) Named(name string) (Role, error) {
	if key, known := b.keys[workspace.Label(strings.TrimSpace(name)).Folded()]; known {
		return b.roles[key], nil
	}
	return Role{}, ErrUnknown
}

// ByKey returns the role of a key; false where the workspace has none.
func (b *Book) ByKey(key string) (Role, bool) {
	r, known := b.roles[key]
	return r, known
}

// Names returns those of roles by their keys, without those that are gone.
func (b *Book) Names(keys []string) []string {
	names := make([]string, 0, len(keys))
	for _, key := range keys {
		if r, known := b.roles[key]; known {
			names = append(names, r.Name)
		}
	}
	return names
}

// Roles lists the built-in roles, the mightiest first, then the custom ones in the
// order of their names.
func (b *Book) Roles() []Role {
	var custom []Role
	for _, r := range b.roles {
		if !r.Builtin {
			custom = append(custom, r)
		}
	}
	slices.SortFunc(custom, func(x, y Role) int {
		return cmp.Or(strings.Compare(workspace.Label(x.Name).Folded(), workspace.Label(y.Name).Folded()), strings.Compare(x.Name, y.Name))
	})
	return append(Builtin(), custom...)
}

// Own lists the workspace's own permissions, in order.
func (b *Book) Own() []string { return slices.Clone(b.own) }

// Permits reports whether the workspace's roles may carry a permission: one of the
// catalog that is not of the instance, or one of its own.
func (b *Book) Permits(permission string) bool {
	if _, own := slices.BinarySearch(b.own, permission); own {
		return true
	}
	return !access.IsInstance(permission) && permission != "*" && !strings.Contains(permission, ":*") &&
		!strings.HasPrefix(permission, "*:") && access.IsOwn(permission)
}

// Granted returns all that some roles grant together.
func (b *Book) Granted(keys []string) access.Permissions {
	if len(keys) == 1 {
		return b.roles[keys[0]].Permissions
	}
	var all access.Permissions
	for _, key := range keys {
		all = append(all, b.roles[key].Permissions...)
	}
	return inOrder(all)
}

// Of returns the keys of the roles that a group grants.
func (b *Book) Of(id group.ID) []string { return b.groups[id].Roles }

// With returns the book with a new or changed role. It fails with a validation fault if
// the role is invalid among the others: its name is taken, a permission cannot be
// granted by roles, or an inherited role is unknown, circular, or nested too deeply.
func (b *Book) With(s Snapshot) (*Book, error) {
	if key, taken := b.keys[s.Name.Folded()]; taken && key != s.ID.String() {
		return nil, ErrNameTaken
	}
	if err := b.carries(s.Permissions); err != nil {
		return nil, err
	}
	changed := b.but(s.ID)
	changed.Roles = append(changed.Roles, s)
	after := NewBook(changed)
	for _, inherited := range s.Inherits {
		if _, known := after.roles[inherited]; !known {
			return nil, fault.Unfit("/inherits", "contains a role that does not exist in this workspace")
		}
	}
	if chain := after.cycle(s.ID.String()); chain != nil {
		return nil, fault.Unfit("/inherits", "would create a cycle: "+strings.Join(after.Names(chain), " inherits "))
	}
	if after.tooDeep() {
		return nil, ErrTooDeep
	}
	return after, nil
}

// Without returns the book as it would be without a role, where another takes its place,
// if one is named. It fails with a validation fault where a role would inherit itself by
// that, or be too deep.
func (b *Book) Without(id ID, replacement string) (*Book, error) {
	changed := b.but(id)
	for i, s := range changed.Roles {
		at := slices.Index(s.Inherits, id.String())
		if at < 0 || replacement == "" {
			continue
		}
		inherits := slices.Clone(s.Inherits)
		inherits[at] = replacement
		changed.Roles[i].Inherits = inOrder(inherits)
	}
	after := NewBook(changed)
	for _, s := range changed.Roles {
		if chain := after.cycle(s.ID.String()); chain != nil {
			return nil, fault.Unfit("/replace_with", "would create a cycle: "+strings.Join(after.Names(chain), " inherits "))
		}
	}
	if after.tooDeep() {
		return nil, fault.Unfit("/replace_with", "would make the inheritance chain more than 8 roles deep")
	}
	return after, nil
}

// carries fails where roles of the workspace may not carry a permission.
func (b *Book) carries(permissions access.Permissions) error {
	var complaints []fault.Field
	for _, p := range permissions {
		if !b.Permits(p) {
			complaints = append(complaints, fault.Field{
				Path: "/permissions", Message: fmt.Sprintf("contains %q, which is not a permission in this workspace: see PERMISSION.LIST", p),
			})
		}
	}
	if complaints != nil {
		return fault.Refuse(complaints...)
	}
	return nil
}

// but returns the content without a role.
func (b *Book) but(without ID) Content {
	c := Content{Version: b.version, Groups: b.groups, Own: b.own}
	for _, key := range slices.Sorted(maps.Keys(b.roles)) {
		if r := b.roles[key]; !r.Builtin && r.ID != without {
			c.Roles = append(c.Roles, Snapshot{
				ID: r.ID, Name: workspace.Label(r.Name), Description: r.Description, Permissions: r.Direct, Inherits: r.Inherits,
			})
		}
	}
	return c
}

// cycle returns the keys that lead from a role back to it; nil where none do.
func (b *Book) cycle(from string) []string {
	seen := map[string]bool{}
	var walk func(key string) []string
	walk = func(key string) []string {
		for _, next := range b.roles[key].Inherits {
			if next == from {
				return []string{key, from}
			}
			if seen[next] {
				continue
			}
			seen[next] = true
			if rest := walk(next); rest != nil {
				return append([]string{key}, rest...)
			}
		}
		return nil
	}
	return walk(from)
}

// tooDeep reports whether a book without cycles has a chain of inheritance that is
// longer than it may be.
func (b *Book) tooDeep() bool {
	known := make(map[string]int, len(b.roles))
	var depth func(key string) int
	depth = func(key string) int {
		if deep, done := known[key]; done {
			return deep
		}
		deepest := 0
		for _, next := range b.roles[key].Inherits {
			deepest = max(deepest, 1+depth(next))
		}
		known[key] = deepest
		return deepest
	}
	for key := range b.roles {
		if depth(key) > MostDeep {
			return true
		}
	}
	return false
}
