package role_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/role"
)

// The built-in roles are those of contract section 7.
func TestBuiltinRoles(t *testing.T) {
	t.Parallel()
	kept := map[string][]string{
		role.Owner:  {},
		role.Admin:  {"teams:delete", "billing:write", "billing:refund"},
		role.Member: nil,
	}
	for _, permission := range access.Catalog() {
		for name, without := range kept {
			want := !access.IsInstance(permission.Name) && !slices.Contains(without, permission.Name)
			if name == role.Member {
				want = slices.Contains([]string{"members:read", "users:read", "products:read"}, permission.Name)
			}
			if got := role.Plain().Granted([]string{name}).Cover(permission.Name); got != want {
				t.Errorf("%s holds %s = %v, want %v", name, permission.Name, got, want)
			}
		}
	}
}

// An empty list takes all away, and an absent one nothing.
func TestUpdateOfLists(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d := role.Define(role.Draft{Permissions: []string{"flows:write", "flows:read", "flows:read"}, Inherits: []string{"member"}}, at)
	d.Update(role.Change{}, at)
	if s := d.Snapshot(); !slices.Equal(s.Permissions, []string{"flows:read", "flows:write"}) || !slices.Equal(s.Inherits, []string{"member"}) {
		t.Errorf("left %v, which inherits %v", s.Permissions, s.Inherits)
	}
	d.Update(role.Change{Permissions: []string{}, Inherits: []string{}}, at)
	if s := d.Snapshot(); len(s.Permissions)+len(s.Inherits) != 0 {
		t.Errorf("kept %v, which inherits %v", s.Permissions, s.Inherits)
	}
}
