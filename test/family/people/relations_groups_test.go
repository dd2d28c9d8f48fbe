package people_test

import (
	"fmt"
	"slices"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

const grouped = `model
  schema 1.1
type user
type group
  relations
    define banned: [user]
    define member: [user, group#member]
    define active: member but not banned
type document
  relations
    define viewer: [user, group#member] or editor
    define editor: [group#active]
`

// relationForm makes a group with members.
func relationForm(by *harness.Actor, people ...string) string {
	id := by.Do("GROUP.CREATE", P{"name": "Ops"}).OK().String("group.id")
	if len(people) > 0 {
		by.Do("GROUP.MEMBER_ADD", P{"group_id": id, "user_ids": people}).OK()
	}
	return id
}

// enter makes somebody a member of the workspace of another.
func enter(h *harness.Service, by *harness.Actor, name string) string {
	return h.Superadmin().Do("USER.CREATE", P{
		"email": name + "@example.com", "password": harness.Password, "org_id": by.OrgID,
	}).OK().String("user.id")
}

// What is written to a group of the service follows who is in it, at the next question
// on every replica.
func TestMembersOfGroups(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, there *harness.Service) {
		ada := here.SignUp("ada@example.com")
		elsewhere := there.With(ada.AccessToken)
		bob, carol := enter(here, ada, "bob"), enter(here, ada, "carol")
		ops := relationForm(ada, bob)
		publish(ada, grouped).OK()
		write(ada, "document:1#viewer@group:"+ops+"#member", "document:2#editor@group:"+ops+"#active", "group:own#member@group:"+ops+"#member",
			"document:3#viewer@group:own#member", "group:"+ops+"#banned@user:"+carol, "group:own#member@user:x").OK()
		see := func(who string, want ...string) {
			t.Helper()
			question := P{"subject": "user:" + who, "relation": "viewer", "type": "document", "limit": 2}
			if got := pages(elsewhere, "RELATION.OBJECT_LIST", question); !slices.Equal(got, want) {
				t.Errorf("%s views %q, want %q", who, got, want)
			}
			for n := range 3 {
				object := fmt.Sprint("document:", n+1)
				if allowed(elsewhere, object+"#viewer@user:"+who) != slices.Contains(want, object) {
					t.Errorf("a check of %s on %s differs from the list", who, object)
				}
				listed := pages(elsewhere, "RELATION.SUBJECT_LIST", P{"object": object, "relation": "viewer", "type": "user", "limit": 1})
				if slices.Contains(listed, "user:"+who) != slices.Contains(want, object) || !slices.IsSorted(listed) {
					t.Errorf("the subjects of %s are %q", object, listed)
				}
			}
		}
		see(bob, "document:1", "document:2", "document:3")
		see(carol)
		see("x", "document:3")
		ada.Do("GROUP.MEMBER_ADD", P{"group_id": ops, "user_ids": []string{carol}}).OK()
		see(carol, "document:1", "document:3")
		groups := pages(elsewhere, "RELATION.OBJECT_LIST", P{"subject": "user:" + bob, "relation": "member", "type": "group", "limit": 1})
		if want := []string{"group:" + ops, "group:own"}; !slices.Equal(groups, want) {
			t.Errorf("%s is in %q, want %q", bob, groups, want)
		}
		ada.Do("GROUP.MEMBER_REMOVE", P{"group_id": ops, "user_ids": []string{bob}}).OK()
		see(bob)
		ada.Do("TEAM.MEMBER_REMOVE", P{"org_id": ada.OrgID, "user_id": carol}).OK()
		see(carol)
	})
}

// The model decides whether members of a group are any of its relations: lists and
// checks agree where it gives groups other members.
func TestGroupsWithoutUsers(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, _ *harness.Service) {
		ada := here.SignUp("ada@example.com")
		ops := relationForm(ada, ada.UserID)
		publish(ada, "model\n  schema 1.1\ntype user\ntype robot\ntype group\n  relations\n    define member: [robot]\n"+
			"type document\n  relations\n    define viewer: [user, group#member]\n").OK()
		write(ada, "document:1#viewer@group:"+ops+"#member", "document:1#viewer@user:x").OK()
		who := P{"object": "document:1", "relation": "viewer", "type": "user"}
		if listed := pages(ada, "RELATION.SUBJECT_LIST", who); !slices.Equal(listed, []string{"user:x"}) || allowed(ada, "document:1#viewer@user:"+ada.UserID) {
			t.Errorf("listed %q", listed)
		}
	})
}

// Tuples name groups of their workspace alone, give them no members, and end with them.
func TestGroupsOfTuples(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, here, _ *harness.Service) {
		ada, eve := here.SignUp("ada@example.com"), here.SignUp("eve@example.com")
		ops, foreign := relationForm(ada, ada.UserID), relationForm(eve, eve.UserID)
		publish(ada, grouped).OK()
		refused := write(ada, "document:1#viewer@group:"+ops+"#member", "document:1#viewer@group:"+foreign+"#member").Fails(fault.Validation)
		refused.Field("/tuples/1/subject")
		write(ada, "group:"+ops+"#member@user:x").Fails(fault.Validation).Field("/tuples/0/object")
		members := pages(ada, "RELATION.SUBJECT_LIST", P{"object": "group:" + foreign, "relation": "member", "type": "user"})
		theirs := pages(ada, "RELATION.OBJECT_LIST", P{"subject": "user:" + eve.UserID, "relation": "member", "type": "group"})
		if len(members)+len(theirs) > 0 || allowed(ada, "group:"+foreign+"#member@user:"+eve.UserID) {
			t.Error("a workspace sees who is in a group of another one")
		}
		written := write(ada, "document:1#viewer@group:"+ops+"#member", "group:own#member@group:"+ops+"#member", "document:1#viewer@group:own#member").OK()
		ada.Do("GROUP.DELETE", P{"group_id": ops}).OK()
		left := ada.Do("RELATION.LIST", nil).OK().List("items")
		after := ada.Do("RELATION.CHECK", tuple("document:1#viewer@user:"+ada.UserID)).OK()
		if len(left) != 1 || after.Bool("allowed") || after.String("revision") <= written.String("revision") {
			t.Errorf("left %v, answered %v", left, after.Data)
		}
		write(ada, "document:1#viewer@group:"+ops+"#member").Fails(fault.Validation).Field("/tuples/0/subject")
	})
}
