package people_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

// A workspace's own permissions are put into roles, checked of a type and of each thing
// of it, listed, and taken back.
func TestOwnPermissions(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	made := h.alice.Do("PERMISSION.CREATE", P{"permission": "docs:write", "description": "Change documents."}).OK()
	if made.String("permission.permission") != "docs:write" || made.Bool("permission.builtin") {
		t.Errorf("made %v", made.Data)
	}
	h.alice.Do("PERMISSION.CREATE", P{"permission": "docs:write"}).Fails(fault.Validation).Field("/permission")
	for _, wrong := range []string{"*", "*:read", "users:archive", "billing:x", "Docs:write", "docs"} {
		h.alice.Do("PERMISSION.CREATE", P{"permission": wrong}).Fails(fault.Validation).Field("/permission")
	}
	listed := h.alice.Do("PERMISSION.LIST", P{"resource": "docs"}).OK().List("items")
	if len(listed) != 1 || listed[0]["permission"] != "docs:write" || listed[0]["description"] != "Change documents." {
		t.Errorf("listed %v", listed)
	}
	if others := h.dave.Do("PERMISSION.LIST", P{"resource": "docs"}).OK().List("items"); len(others) != 0 {
		t.Errorf("another workspace lists %v", others)
	}
	h.alice.Do("ROLE.CREATE", P{"name": "Editor", "permissions": []string{"docs:write"}}).OK()
	h.alice.Do("ROLE.CREATE", P{"name": "Chief", "permissions": []string{"flows:read"}, "inherits": []string{"editor"}}).OK()
	h.alice.Do("USER.SET_ROLE", P{"user_id": h.bob.UserID, "role": "chief"}).OK()
	bob, carol := h.entered("bob@example.com"), h.entered("carol@example.com")
	for _, resource := range []string{"docs", "docs/42", "docs/a/b?c"} {
		wantCheck(t, bob.Do("PERMISSION.CHECK", pair(resource, "write")), "role:Chief")
		wantCheck(t, h.alice.Do("PERMISSION.CHECK", permissionAbout(h.bob, resource, "write")), "role:Chief")
		wantCheck(t, bob.Do("PERMISSION.CHECK", pair(resource, "read")), "")
		wantCheck(t, carol.Do("PERMISSION.CHECK", pair(resource, "write")), "")
	}
	for _, resource := range []string{"docs/", "/42", "docs/ x", "docs/\n"} {
		bob.Do("PERMISSION.CHECK", pair(resource, "write")).Fails(fault.Validation).Field("/resource")
	}
	// Carol does not hold what the role grants, so she takes nothing from it.
	carol.Do("PERMISSION.DELETE", P{"permission": "docs:write"}).Fails(fault.Denied)
	if gone := h.alice.Do("PERMISSION.DELETE", P{"permission": "docs:write"}).OK(); gone.Int("roles_changed") != 1 {
		t.Errorf("deleted %v", gone.Data)
	}
	wantCheck(t, bob.Do("PERMISSION.CHECK", pair("docs", "write")), "")
	h.alice.Do("PERMISSION.DELETE", P{"permission": "docs:write"}).Fails(fault.NotFound)
	h.alice.Do("ROLE.CREATE", P{"name": "Late", "permissions": []string{"docs:write"}}).Fails(fault.Validation)
}

func TestBulkCheck(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	bob := h.entered("bob@example.com")
	checks := []P{pair("users", "read"), pair("flows", "write"), pair("docs/7", "write"), pair("users", "read")}
	for _, ask := range []*harness.Reply{
		bob.Do("PERMISSION.BULK_CHECK", P{"checks": checks}), h.alice.Do("PERMISSION.BULK_CHECK", P{"checks": checks, "user_id": h.bob.UserID}),
	} {
		var got []bool
		for i, one := range ask.OK().List("results") {
			if one["resource"] != checks[i]["resource"] || one["action"] != checks[i]["action"] {
				t.Errorf("answer %d is about %v", i, one)
			}
			got = append(got, one["allowed"].(bool))
		}
		if !slices.Equal(got, []bool{true, false, false, true}) {
			t.Errorf("answers %v", got)
		}
	}
	bob.Do("PERMISSION.BULK_CHECK", P{"checks": checks, "user_id": h.carol.UserID}).Fails(fault.Denied)
	h.alice.Do("PERMISSION.BULK_CHECK", P{"checks": checks, "user_id": h.dave.UserID}).Fails(fault.NotFound)
	h.alice.Do("PERMISSION.BULK_CHECK", P{"checks": slices.Repeat(checks, 26)}).Fails(fault.Validation)
	h.alice.Do("PERMISSION.BULK_CHECK", P{"checks": []P{}}).Fails(fault.Validation)
}

func TestEffectiveList(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.alice.Do("PERMISSION.CREATE", P{"permission": "docs:write"}).OK()
	h.alice.Do("ROLE.CREATE", P{"name": "Editor", "permissions": []string{"docs:write", "flows:read"}}).OK()
	group := h.alice.Do("GROUP.CREATE", P{"name": "Ops", "roles": []string{"editor"}}).OK().String("group.id")
	h.alice.Do("GROUP.MEMBER_ADD", P{"group_id": group, "user_ids": []string{h.bob.UserID}}).OK()
	list := func(r *harness.Reply) string {
		var all []string
		for _, one := range r.OK().List("items") {
			all = append(all, fmt.Sprint(one["permission"], " ", one["via"]))
		}
		return fmt.Sprint(all)
	}
	const want = "[flows:read group:Ops/role:Editor members:read role:member products:read role:member users:read role:member docs:write group:Ops/role:Editor]"
	for who, reply := range map[string]*harness.Reply{
		"bob": h.entered("bob@example.com").Do("PERMISSION.EFFECTIVE_LIST", nil), "alice": h.alice.Do("PERMISSION.EFFECTIVE_LIST", P{"user_id": h.bob.UserID}),
		"bob from elsewhere": h.bob.Do("PERMISSION.EFFECTIVE_LIST", P{"org_id": h.alice.OrgID}),
	} {
		if got := list(reply); got != want {
			t.Errorf("%s sees %s, want %s", who, got, want)
		}
	}
	if all := h.alice.Do("PERMISSION.EFFECTIVE_LIST", nil).OK().List("items"); len(all) != len(access.WorkspacePermissions())+1 {
		t.Errorf("an owner has %d permissions", len(all))
	}
	if all := h.root.Do("PERMISSION.EFFECTIVE_LIST", nil).OK().List("items"); len(all) != len(access.Catalog()) || all[0]["via"] != "superadmin" {
		t.Errorf("a superadmin has %d permissions", len(all))
	}
	h.entered("bob@example.com").Do("PERMISSION.EFFECTIVE_LIST", P{"user_id": h.carol.UserID}).Fails(fault.Denied)
}

func TestHolders(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.join(t, h.dave, role.Admin, h.Clock.Now().Add(time.Minute))
	h.alice.Do("ROLE.CREATE", P{"name": "Editor", "permissions": []string{"flows:write"}}).OK()
	group := h.alice.Do("GROUP.CREATE", P{"name": "Ops", "roles": []string{"editor"}}).OK().String("group.id")
	h.alice.Do("GROUP.MEMBER_ADD", P{"group_id": group, "user_ids": []string{h.bob.UserID, h.carol.UserID}}).OK()
	list := func(limit int) P {
		found, cursor := P{}, any(nil)
		for pages := 0; pages == 0 || cursor != nil; pages++ {
			ask := pair("flows/any", "write")
			ask["limit"] = limit
			if cursor != nil {
				ask["cursor"] = cursor
			}
			page := h.alice.Do("PERMISSION.HOLDER_LIST", ask).OK()
			for _, one := range page.List("items") {
				found[one["user_id"].(string)] = one["via"]
			}
			cursor = page.Data["next_cursor"]
		}
		return found
	}
	want := P{h.alice.UserID: "role:owner", h.bob.UserID: "group:Ops/role:Editor", h.carol.UserID: "role:admin", h.dave.UserID: "role:admin"}
	for _, limit := range []int{1, 2, 50} {
		if got := list(limit); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("by %d: %v, want %v", limit, got, want)
		}
	}
	h.Clock.Advance(2 * time.Minute)
	h.root.Do("USER.DISABLE", P{"user_id": h.bob.UserID}).OK()
	delete(want, h.dave.UserID)
	delete(want, h.bob.UserID)
	if got := list(1); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("later: %v, want %v", got, want)
	}
	h.alice.Do("PERMISSION.HOLDER_LIST", in(h.bob.OrgID, pair("flows", "write"))).Fails(fault.NotFound)
	h.root.Do("PERMISSION.HOLDER_LIST", in(h.alice.OrgID, pair("flows", "write"))).OK()
}
