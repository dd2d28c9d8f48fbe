package people_test

import (
	"fmt"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// Whatever way there is to give, take, define or inherit more than one holds, it is
// refused, and changes nothing; what one holds may be given by each of them.
func TestNobodyReachesBeyondWhatTheyHold(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		help := []string{"roles:write", "roles:read", "members:write", "groups:write", "teams:write", "permissions:write", "flows:read"}
		define(alice, "helpdesk", help, "member")
		alice.Do("PERMISSION.CREATE", P{"permission": "docs:write"}).OK()
		bob, carol := roleMember(h, alice, "bob", "helpdesk"), roleMember(h, alice, "carol", "member")
		weak, strong := define(alice, "weak", []string{"flows:read"}), define(alice, "strong", []string{"flows:write", "docs:write"})
		chief := define(alice, "chief", nil, "weak", "strong")
		weakGroup, strongGroup := roleForm(alice, "weak", []string{"weak"}, alice.UserID), roleForm(alice, "strong", []string{"strong"}, alice.UserID)
		before := state(alice)
		for what, call := range map[string]struct {
			command string
			params  P
		}{
			"define":                 {"ROLE.CREATE", P{"name": "new", "permissions": []string{"flows:read", "flows:write"}}},
			"define an own one":      {"ROLE.CREATE", P{"name": "new", "permissions": []string{"docs:write"}}},
			"define, inheriting":     {"ROLE.CREATE", P{"name": "new", "permissions": []string{}, "inherits": []string{"strong"}}},
			"inherit all":            {"ROLE.CREATE", P{"name": "new", "permissions": []string{}, "inherits": []string{"OWNER"}}},
			"inherit through others": {"ROLE.CREATE", P{"name": "new", "permissions": []string{}, "inherits": []string{"chief"}}},
			"widen":                  {"ROLE.UPDATE", P{"role_id": weak, "permissions": []string{"flows:read", "flows:write"}}},
			"widen by inheriting":    {"ROLE.UPDATE", P{"role_id": weak, "inherits": []string{"admin"}}},
			"narrow":                 {"ROLE.UPDATE", P{"role_id": strong, "permissions": []string{}}},
			"narrow what inherits":   {"ROLE.UPDATE", P{"role_id": chief, "inherits": []string{}}},
			"rename":                 {"ROLE.UPDATE", P{"role_id": strong, "name": "harmless"}},
			"delete":                 {"ROLE.DELETE", P{"role_id": strong, "replace_with": "weak"}},
			"replace":                {"ROLE.DELETE", P{"role_id": weak, "replace_with": "strong"}},
			"replace by all":         {"ROLE.DELETE", P{"role_id": weak, "replace_with": "owner"}},
			"assign":                 {"USER.SET_ROLE", P{"user_id": carol.UserID, "role": "strong"}},
			"assign to oneself":      {"USER.SET_ROLE", P{"user_id": bob.UserID, "role": "chief"}},
			"demote":                 {"USER.UNSET_ROLE", P{"user_id": alice.UserID, "role": "weak"}},
			"default":                {"TEAM.UPDATE", P{"default_role": "strong"}},
			"a group":                {"GROUP.CREATE", P{"name": "new", "roles": []string{"strong"}}},
			"roles of a group":       {"GROUP.SET_ROLES", P{"group_id": weakGroup, "roles": []string{"strong"}}},
			"roles off a group":      {"GROUP.SET_ROLES", P{"group_id": strongGroup, "roles": []string{}}},
			"into a group":           {"GROUP.MEMBER_ADD", P{"group_id": strongGroup, "user_ids": []string{bob.UserID}}},
			"out of a group":         {"GROUP.MEMBER_REMOVE", P{"group_id": strongGroup, "user_ids": []string{carol.UserID}}},
			"the mighty out of one":  {"GROUP.MEMBER_REMOVE", P{"group_id": weakGroup, "user_ids": []string{carol.UserID, alice.UserID}}},
			"delete a group":         {"GROUP.DELETE", P{"group_id": strongGroup}},
			"withdraw":               {"PERMISSION.DELETE", P{"permission": "docs:write"}},
		} {
			if got := bob.Do(call.command, call.params); got.Failure == nil || got.Failure.Code != fault.Denied {
				t.Errorf("%s by %s: %v, want PERMISSION_DENIED", what, call.command, got.Failure)
			}
		}
		if after := state(alice); after != before {
			t.Errorf("before: %s\nafter: %s", before, after)
		}
		bob.Do("ROLE.UPDATE", P{"role_id": weak, "inherits": []string{"helpdesk"}}).OK()
		bob.Do("USER.SET_ROLE", P{"user_id": carol.UserID, "role": "weak"}).OK()
		bob.Do("TEAM.UPDATE", P{"default_role": "WEAK"}).OK()
		bob.Do("GROUP.MEMBER_ADD", P{"group_id": weakGroup, "user_ids": []string{carol.UserID}}).OK()
		bob.Do("GROUP.MEMBER_REMOVE", P{"group_id": weakGroup, "user_ids": []string{carol.UserID}}).OK()
		bob.Do("GROUP.SET_ROLES", P{"group_id": weakGroup, "roles": []string{}}).OK()
		bob.Do("GROUP.DELETE", P{"group_id": weakGroup}).OK()
		bob.Do("ROLE.DELETE", P{"role_id": weak, "replace_with": "helpdesk"}).OK()
	})
}

// state is all that the workspace grants.
func state(owner *harness.Actor) string {
	return fmt.Sprint(owner.Do("ROLE.LIST", nil).Data, owner.Do("GROUP.LIST", nil).Data, owner.Do("TEAM.LIST_MEMBERS", nil).Data,
		owner.Do("TEAM.GET", nil).Data, owner.Do("PERMISSION.LIST", P{"resource": "docs"}).Data)
}

// A key or an app gives no more than its scopes, whatever its user holds.
func TestKeysGiveNoMoreThanTheirScopes(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	key := h.With(alice.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{"roles:write", "flows:read"}}).OK().String("key"))
	key.Do("ROLE.CREATE", P{"name": "one", "permissions": []string{"flows:read"}}).OK()
	machine := alice.Machine("machine", "roles:write")
	for _, by := range []*harness.Actor{key, machine} {
		by.Do("ROLE.CREATE", P{"name": "two", "permissions": []string{"flows:write"}}).Fails(fault.Denied)
		by.Do("ROLE.CREATE", P{"name": "two", "permissions": []string{}, "inherits": []string{"member"}}).Fails(fault.Denied)
	}
}
