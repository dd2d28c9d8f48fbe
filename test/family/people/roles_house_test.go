package people_test

import (
	"slices"
	"testing"

	"gatehouse.internal/test/harness"
)

// roleMember makes somebody who belongs to the workspace of an owner by a role, and acts there.
func roleMember(h *harness.Service, owner *harness.Actor, name, role string) *harness.Actor {
	email := name + "@example.com"
	made := h.Superadmin().Do("USER.CREATE", P{"email": email, "password": harness.Password, "org_id": owner.OrgID, "role": role}).OK()
	return roleEntered(h, made.String("user.id"), email, owner.OrgID)
}

// roleEntered logs somebody into a workspace.
func roleEntered(h *harness.Service, id, email, org string) *harness.Actor {
	pair := h.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": harness.Password, "org_id": org}).OK()
	a := h.With(pair.String("access_token"))
	a.UserID, a.OrgID, a.RefreshToken = id, org, pair.String("refresh_token")
	return a
}

// define defines a role, and returns its id.
func define(by *harness.Actor, name string, permissions []string, inherits ...string) string {
	return by.Do("ROLE.CREATE", P{"name": name, "permissions": append([]string{}, permissions...), "inherits": append([]string{}, inherits...)}).OK().String("role.id")
}

// roleForm makes a group with roles and members, and returns its id.
func roleForm(by *harness.Actor, name string, roles []string, people ...string) string {
	id := by.Do("GROUP.CREATE", P{"name": name, "roles": roles}).OK().String("group.id")
	if len(people) > 0 {
		by.Do("GROUP.MEMBER_ADD", P{"group_id": id, "user_ids": people}).OK()
	}
	return id
}

func roleSame(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func roles(who *harness.Actor) []string { return who.Do("AUTH.WHOAMI", nil).OK().Strings("roles") }
