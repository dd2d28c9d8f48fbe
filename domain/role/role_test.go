package role_test

import (
	"slices"
	"testing"

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
	for _, permission := range access.Catalogue() {
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
