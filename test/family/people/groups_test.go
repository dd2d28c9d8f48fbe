package people_test

import (
	"fmt"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// groupMember makes somebody who belongs to the workspace of an owner.
func groupMember(h *harness.Service, owner *harness.Actor, name string) string {
	return h.Superadmin().Do("USER.CREATE", P{
		"email": name + "@example.com", "password": harness.Password, "org_id": owner.OrgID,
	}).OK().String("user.id")
}

func TestGroupsAreMadeChangedAndDeleted(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	made := alice.Do("GROUP.CREATE", P{"name": " Ops ", "description": "On call.", "external_id": "dept-1", "roles": []string{"ADMIN", "member"}}).OK()
	id := made.String("group.id")
	if made.String("group.name") != "Ops" || made.String("group.external_id") != "dept-1" || fmt.Sprint(made.Strings("group.roles")) != "[admin member]" {
		t.Errorf("made %v", made.Data)
	}
	for path, params := range map[string]P{
		"/name": {"name": "OPS"}, "/external_id": {"name": "Dev", "external_id": "dept-1"}, "/roles/1": {"name": "Dev", "roles": []string{"member", "emperor"}},
	} {
		alice.Do("GROUP.CREATE", params).Fails(fault.Validation).Field(path)
	}
	alice.Do("GROUP.CREATE", P{"name": "Dev"}).OK()
	alice.Do("GROUP.UPDATE", P{"group_id": id, "name": "dev"}).Fails(fault.Validation).Field("/name")
	changed := alice.Do("GROUP.UPDATE", P{"group_id": id, "name": "OPS", "description": "", "external_id": ""}).OK()
	if changed.String("group.name") != "OPS" || changed.Data["group"].(P)["external_id"] != nil {
		t.Errorf("changed %v", changed.Data)
	}
	alice.Do("GROUP.UPDATE", P{"group_id": id, "name": "OPS"}).OK()
	alice.Do("GROUP.SET_ROLES", P{"group_id": id, "roles": []string{"member"}}).OK()
	alice.Do("GROUP.SET_ROLES", P{"group_id": id, "roles": []string{"Member"}}).OK()
	for kind, want := range map[string]int{"group.updated": 1, "group.roles_set": 1, "group.created": 2} {
		got := 0
		for _, one := range h.Events("") {
			if string(one.Kind) == kind {
				got++
			}
		}
		if got != want {
			t.Errorf("%d events %s, want %d", got, kind, want)
		}
	}
	if got := alice.Do("GROUP.GET", P{"group_id": id}).OK(); fmt.Sprint(got.Strings("roles")) != "[member]" || got.Int("member_count") != 0 {
		t.Errorf("got %v", got.Data)
	}
	if found := alice.Do("GROUP.LIST", P{"query": "oP"}).OK().List("items"); len(found) != 1 || found[0]["id"] != id {
		t.Errorf("found %v", found)
	}
	alice.Do("GROUP.DELETE", P{"group_id": id}).OK()
	alice.Do("GROUP.GET", P{"group_id": id}).Fails(fault.NotFound)
	alice.Do("GROUP.CREATE", P{"name": "ops"}).OK()
}

func TestMembersComeAndGo(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, stranger := h.SignUp("alice@example.com"), h.SignUp("stranger@example.com")
	bob, carol := groupMember(h, alice, "bob"), groupMember(h, alice, "carol")
	id := alice.Do("GROUP.CREATE", P{"name": "Ops"}).OK().String("group.id")
	add := func(people ...string) *harness.Reply {
		return alice.Do("GROUP.MEMBER_ADD", P{"group_id": id, "user_ids": people})
	}
	if n := add(bob, carol).OK().Int("added"); n != 2 {
		t.Errorf("added %d", n)
	}
	if n := add(alice.UserID, bob).OK().Int("added"); n != 1 {
		t.Errorf("added %d more", n)
	}
	add(stranger.UserID).Fails(fault.NotFound)
	if n := alice.Do("GROUP.GET", P{"group_id": id}).Int("member_count"); n != 3 {
		t.Errorf("%d members", n)
	}
	first := alice.Do("GROUP.MEMBER_LIST", P{"group_id": id, "limit": 2}).OK()
	rest := alice.Do("GROUP.MEMBER_LIST", P{"group_id": id, "cursor": first.String("next_cursor")}).OK()
	if len(first.List("items")) != 2 || len(rest.List("items")) != 1 || rest.Data["next_cursor"] != nil {
		t.Errorf("pages %v and %v", first.Data, rest.Data)
	}
	if mine := alice.Do("GROUP.LIST", P{"user_id": bob}).OK().List("items"); len(mine) != 1 || mine[0]["id"] != id {
		t.Errorf("groups %v", mine)
	}
	remove := func(people ...string) *harness.Reply {
		return alice.Do("GROUP.MEMBER_REMOVE", P{"group_id": id, "user_ids": people})
	}
	if n := remove(bob).OK().Int("removed"); n != 1 {
		t.Errorf("removed %d", n)
	}
	if n := remove(bob, carol).OK().Int("removed"); n != 1 {
		t.Errorf("removed %d more", n)
	}
	remove(carol, stranger.UserID).Fails(fault.NotFound)
}
