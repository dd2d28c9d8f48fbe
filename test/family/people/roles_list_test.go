package people_test

import (
	"slices"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

const roleNowhere = "org_01jd7x9k2mf3q8v5t0abcdefgh"

func TestListShowsTheBuiltinRoles(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	granted := map[string][]any{}
	var names []string
	for _, item := range alice.Do("ROLE.LIST", nil).OK().List("items") {
		name := item["name"].(string)
		names = append(names, name)
		granted[name] = item["permissions"].([]any)
		if item["builtin"] != true || item["description"] == "" {
			t.Errorf("%v", item)
		}
	}
	if !slices.Equal(names, []string{"owner", "admin", "member"}) {
		t.Errorf("roles %v", names)
	}
	if !slices.Equal(granted["owner"], []any{"*"}) {
		t.Errorf("the owner is granted %v", granted["owner"])
	}
	if !slices.Equal(granted["member"], []any{"members:read", "users:read", "products:read"}) {
		t.Errorf("a member is granted %v", granted["member"])
	}
	for _, known := range access.Catalog() {
		withheld := access.IsInstance(known.Name) ||
			slices.Contains([]string{"teams:delete", "billing:write", "billing:refund"}, known.Name)
		if slices.Contains(granted["admin"], any(known.Name)) == withheld {
			t.Errorf("is %s granted to an admin: %t", known.Name, withheld)
		}
	}
}

func TestListOfOtherWorkspaces(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, root := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	alice.Do("ROLE.LIST", harness.P{"org_id": alice.OrgID}).OK()
	if n := len(root.Do("ROLE.LIST", harness.P{"org_id": bob.OrgID}).OK().List("items")); n != 3 {
		t.Errorf("a superadmin sees %d roles", n)
	}
	root.Do("ROLE.LIST", harness.P{"org_id": roleNowhere}).Fails(fault.NotFound)
}
