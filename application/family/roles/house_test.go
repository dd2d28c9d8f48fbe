package roles_test

import (
	"slices"
	"testing"

	"gatehouse.internal/test/harness"
)

type P = harness.P

// onBoth runs a test on both databases.
func onBoth(t *testing.T, test func(t *testing.T, h *harness.Service)) {
	t.Parallel()
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, harness.On(t, harness.SQLite(t)))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, harness.On(t, harness.Postgres(t)))
	})
}

// member makes somebody who belongs to the workspace of an owner by a role, and acts there.
func member(h *harness.Service, owner *harness.Actor, name, role string) *harness.Actor {
	email := name + "@example.com"
	made := h.Superadmin().Do("USER.CREATE", P{"email": email, "password": harness.Password, "org_id": owner.OrgID, "role": role}).OK()
	return entered(h, made.String("user.id"), email, owner.OrgID)
}

// entered logs somebody into a workspace.
func entered(h *harness.Service, id, email, org string) *harness.Actor {
	pair := h.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": harness.Password, "org_id": org}).OK()
	a := h.With(pair.String("access_token"))
	a.UserID, a.OrgID, a.RefreshToken = id, org, pair.String("refresh_token")
	return a
}

// define defines a role, and returns its id.
func define(by *harness.Actor, name string, permissions []string, inherits ...string) string {
	return by.Do("ROLE.CREATE", P{"name": name, "permissions": append([]string{}, permissions...), "inherits": append([]string{}, inherits...)}).OK().String("role.id")
}

// form makes a group with roles and members, and returns its id.
func form(by *harness.Actor, name string, roles []string, people ...string) string {
	id := by.Do("GROUP.CREATE", P{"name": name, "roles": roles}).OK().String("group.id")
	if len(people) > 0 {
		by.Do("GROUP.MEMBER_ADD", P{"group_id": id, "user_ids": people}).OK()
	}
	return id
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func roles(who *harness.Actor) []string { return who.Do("AUTH.WHOAMI", nil).OK().Strings("roles") }
