package people_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// What a role, a group and a grant come to holds at the next request, for sessions and
// keys, and stands in tokens by name.
func TestRolesHoldAtTheNextRequest(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		bob := roleMember(h, alice, "bob", "member")
		key := h.With(bob.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{"members:read"}}).OK().String("key"))
		reader := define(alice, "Reader", []string{"flows:read", "roles:read"})
		editor := define(alice, "Editor", []string{"groups:read"}, "reader")
		got := alice.Do("ROLE.GET", P{"role_id": editor}).OK()
		roleSame(t, "inherits", got.Strings("role.inherits"), []string{"Reader"})
		roleSame(t, "permissions", got.Strings("permissions"), []string{"groups:read"})
		roleSame(t, "effective", got.Strings("effective_permissions"), []string{"flows:read", "groups:read", "roles:read"})

		bob.Do("ROLE.GET", P{"role_id": editor}).Fails(fault.Denied)
		given := alice.Do("USER.SET_ROLE", P{"user_id": bob.UserID, "role": "EDITOR"}).OK()
		roleSame(t, "given", given.Strings("roles"), []string{"member", "Editor"})
		bob.Do("ROLE.GET", P{"role_id": editor}).OK()
		roleSame(t, "roles", roles(bob), []string{"member", "Editor"})
		if recorded := h.Events("role.assigned"); !strings.Contains(string(recorded[len(recorded)-1].Data), `"Editor"`) {
			t.Errorf("told %s", recorded[len(recorded)-1].Data)
		}
		alice.Do("ROLE.UPDATE", P{"role_id": reader, "permissions": []string{"flows:read"}}).OK()
		bob.Do("ROLE.GET", P{"role_id": editor}).Fails(fault.Denied)
		alice.Do("ROLE.UPDATE", P{"role_id": editor, "name": "Author"}).OK()
		roleSame(t, "roles after a renaming", roles(bob), []string{"member", "Author"})
		pair := h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": bob.RefreshToken}).OK()
		roleSame(t, "roles of the token", strings.Fields(fmt.Sprint(claims(t, pair.String("access_token"))["roles"])), []string{"[member", "Author]"})
		alice.Do("USER.UNSET_ROLE", P{"user_id": bob.UserID, "role": "author"}).OK()
		bob.Do("GROUP.LIST", nil).Fails(fault.Denied)

		group := roleForm(alice, "Ops", []string{"author"}, bob.UserID)
		bob.Do("GROUP.LIST", nil).OK()
		roleSame(t, "roles by a group", roles(bob), []string{"member", "Author"})
		roleSame(t, "roles of a key by a group", roles(key), []string{"member", "Author"})
		shown := alice.Do("USER.GET", P{"user_id": bob.UserID}).OK()
		roleSame(t, "roles shown", shown.Strings("roles"), []string{"member", "Author"})
		if in := shown.List("groups"); len(in) != 1 || in[0]["id"] != group || in[0]["name"] != "Ops" {
			t.Errorf("groups %v", in)
		}
		alice.Do("GROUP.MEMBER_REMOVE", P{"group_id": group, "user_ids": []string{bob.UserID}}).OK()
		bob.Do("GROUP.LIST", nil).Fails(fault.Denied)
		alice.Do("GROUP.MEMBER_ADD", P{"group_id": group, "user_ids": []string{bob.UserID}}).OK()
		bob.Do("GROUP.LIST", nil).OK()
		alice.Do("GROUP.DELETE", P{"group_id": group}).OK()
		bob.Do("GROUP.LIST", nil).Fails(fault.Denied)
		roleSame(t, "roles at last", roles(bob), []string{"member"})
	})
}

func TestWhatDoesNotFitIsRefused(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	reader := define(alice, "reader", []string{"flows:read"})
	define(alice, "editor", nil, "reader")
	for path, params := range map[string]P{
		"/name":        {"name": "READER", "permissions": []string{}},
		"/permissions": {"name": "x", "permissions": []string{"flows:*"}},
		"/inherits":    {"name": "x", "permissions": []string{}, "inherits": []string{"emperor"}},
	} {
		alice.Do("ROLE.CREATE", params).Fails(fault.Validation).Field(path)
	}
	for _, instance := range []string{"users:manage", "sessions:manage", "users:impersonate", "privacy:manage", "*", "docs:write"} {
		alice.Do("ROLE.CREATE", P{"name": "x", "permissions": []string{instance}}).Fails(fault.Validation).Field("/permissions")
	}
	cycle := alice.Do("ROLE.UPDATE", P{"role_id": reader, "inherits": []string{"editor"}}).Fails(fault.Validation).Field("/inherits")
	if !strings.Contains(cycle.Failure.Message, "reader inherits editor inherits reader") {
		t.Errorf("the cycle is told as %q", cycle.Failure.Message)
	}
	last := "r0"
	define(alice, last, nil)
	for n := 1; n <= 8; n++ {
		define(alice, fmt.Sprint("r", n), nil, last)
		last = fmt.Sprint("r", n)
	}
	alice.Do("ROLE.CREATE", P{"name": "x", "permissions": []string{}, "inherits": []string{last}}).Fails(fault.Validation).Field("/inherits")
	// Nothing changed is nothing told.
	alice.Do("ROLE.UPDATE", P{"role_id": reader, "permissions": []string{"flows:read"}}).OK()
	if n := len(h.Events("role.updated")); n != 0 {
		t.Errorf("%d events of a change that was none", n)
	}
}

func TestAWorkspaceHasSoManyRolesAndPermissions(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	database := h.Store.Database().Write
	for n := range 199 {
		database.MustExec(`INSERT INTO roles (id, org_id, name, name_folded, description, permissions, inherits, created_at, updated_at, version)
			VALUES (?, ?, ?, ?, '', '', '', 0, 0, 1)`, fmt.Sprintf("rol_01jd7x9k2mf3q8v5t0abcde%03d", n), alice.OrgID, fmt.Sprint("r", n), fmt.Sprint("r", n))
	}
	for n := range 499 {
		database.MustExec(`INSERT INTO own_permissions (org_id, name, description, created_at, version) VALUES (?, ?, '', 0, 1)`, alice.OrgID, fmt.Sprint("docs:", n))
	}
	define(alice, "the last", nil)
	alice.Do("ROLE.CREATE", P{"name": "one more", "permissions": []string{}}).Fails(fault.Validation)
	alice.Do("PERMISSION.CREATE", P{"permission": "docs:last"}).OK()
	alice.Do("PERMISSION.CREATE", P{"permission": "docs:more"}).Fails(fault.Validation)
}

func TestDeletionOfARoleInUse(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUpVerified("alice@example.com")
	bob, carol := roleMember(h, alice, "bob", "member"), roleMember(h, alice, "carol", "member")
	for what, use := range map[string]func(name string){
		"held":      func(name string) { alice.Do("USER.SET_ROLE", P{"user_id": bob.UserID, "role": name}).OK() },
		"grouped":   func(name string) { roleForm(alice, name, []string{name}) },
		"inherited": func(name string) { define(alice, "heir", nil, name) },
		"offered":   func(name string) { alice.Do("TEAM.INVITE", P{"email": "dora@example.com", "role": name}).OK() },
		"default":   func(name string) { alice.Do("TEAM.UPDATE", P{"default_role": name}).OK() },
	} {
		id := define(alice, what, []string{"flows:read"})
		use(what)
		alice.Do("ROLE.DELETE", P{"role_id": id}).Fails(fault.Validation).Field("/replace_with")
		for _, wrong := range []string{"emperor", what} {
			alice.Do("ROLE.DELETE", P{"role_id": id, "replace_with": wrong}).Fails(fault.Validation).Field("/replace_with")
		}
		alice.Do("ROLE.DELETE", P{"role_id": id, "replace_with": "admin"}).OK()
		alice.Do("ROLE.GET", P{"role_id": id}).Fails(fault.NotFound)
	}
	roleSame(t, "roles of who held it", roles(bob), []string{"member", "admin"})
	h.SignUp("dora@example.com").Do("TEAM.INVITATION_ACCEPT", P{"token": h.LastMail("dora@example.com").Token()})
	if got := alice.Do("TEAM.INVITATION_LIST", nil).List("items")[0]["role"]; got != "admin" {
		t.Errorf("the invitation offers %v", got)
	}
	if got := alice.Do("TEAM.GET", nil).String("organization.default_role"); got != "admin" {
		t.Errorf("the default role is %q", got)
	}
	// One that has ended is held no more.
	brief := define(alice, "brief", nil)
	alice.Do("USER.SET_ROLE", P{"user_id": carol.UserID, "role": "brief", "expires_at": h.Clock.Now().Add(time.Minute).Format(time.RFC3339)}).OK()
	alice.Do("ROLE.DELETE", P{"role_id": brief}).Fails(fault.Validation)
	h.Clock.Advance(2 * time.Minute)
	if alice.Do("ROLE.DELETE", P{"role_id": brief}).OK().Int("reassigned") != 0 {
		t.Error("somebody was given another role in place of one that had ended")
	}
	roleSame(t, "roles of who held that", roles(carol), []string{"member"})
	// One that nobody can accept any more is offered no more.
	late := define(alice, "late", nil)
	alice.Do("TEAM.INVITE", P{"email": "erin@example.com", "role": "late", "expires_in_days": 1}).OK()
	h.Clock.Advance(25 * time.Hour)
	again := h.Login("alice@example.com", harness.Password)
	again.Do("ROLE.DELETE", P{"role_id": late}).OK()
}

func TestMembersOfARole(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	editor := define(alice, "Editor", nil)
	until := h.Clock.Now().Add(time.Hour).UTC().Truncate(time.Second)
	want := map[string]P{}
	var grouped []string
	for n := range 5 {
		who := roleMember(h, alice, fmt.Sprint("holder", n), "member")
		switch n {
		case 0:
			grouped = append(grouped, who.UserID)
			want[who.UserID] = P{"user_id": who.UserID, "via": "group:Ops/role:Editor", "expires_at": nil}
		case 1:
			alice.Do("USER.SET_ROLE", P{"user_id": who.UserID, "role": "editor"}).OK()
			want[who.UserID] = P{"user_id": who.UserID, "via": "role:Editor", "expires_at": nil}
		case 2:
			grouped = append(grouped, who.UserID)
			alice.Do("USER.SET_ROLE", P{"user_id": who.UserID, "role": "editor", "expires_at": until.Format(time.RFC3339)}).OK()
			want[who.UserID] = P{"user_id": who.UserID, "via": "role:Editor", "expires_at": until.Format(time.RFC3339)}
		case 3:
			alice.Do("USER.SET_ROLE", P{"user_id": who.UserID, "role": "editor", "expires_at": h.Clock.Now().Add(time.Second).Format(time.RFC3339)}).OK()
		}
	}
	roleForm(alice, "Ops", []string{"editor"}, grouped...)
	h.Clock.Advance(time.Minute)
	seen, cursor := 0, any(nil)
	for pages := 0; pages == 0 || cursor != nil; pages++ {
		params := P{"role_id": editor, "limit": 1}
		if cursor != nil {
			params["cursor"] = cursor
		}
		page := alice.Do("ROLE.MEMBER_LIST", params).OK()
		for _, item := range page.List("items") {
			seen++
			if fmt.Sprint(item) != fmt.Sprint(want[item["user_id"].(string)]) {
				t.Errorf("%v, want %v", item, want[item["user_id"].(string)])
			}
		}
		cursor = page.Data["next_cursor"]
	}
	if seen != len(want) {
		t.Errorf("%d holders, want %d", seen, len(want))
	}
}

// Of one who gives a role and one who deletes it at once, not both succeed.
func TestARoleIsNotGivenWhileItIsDeleted(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		bob := roleMember(h, alice, "bob", "member")
		for n := range 6 {
			name := fmt.Sprint("role", n)
			id := define(alice, name, nil)
			replies := harness.Together(2, func(i int) *harness.Reply {
				if i == 0 {
					return alice.Do("USER.SET_ROLE", P{"user_id": bob.UserID, "role": name})
				}
				return alice.Do("ROLE.DELETE", P{"role_id": id})
			})
			if harness.Codes(replies)[""] != 1 {
				t.Errorf("given: %v, deleted: %v", replies[0].Failure, replies[1].Failure)
			}
		}
	})
}
