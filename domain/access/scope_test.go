package access_test

import (
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
)

// What is written for a caller without asking for a permission asks API keys and M2M
// tokens for a scope; people have none.
func TestScoped(t *testing.T) {
	t.Parallel()
	rule := access.Anybody().Scoped("apps:read")
	for name, refused := range map[string]bool{
		"person": false, "holding person": false, "superadmin": false,
		"key": true, "holding key": false, "whole key": false,
		"app": true, "app with a scope": true, "holding app": false, "whole app": false,
	} {
		err := rule.Check(callers()[name])
		if (err != nil) != refused || (refused && fault.From(err).Code != fault.Denied) {
			t.Errorf("Check() of %s = %v, want it refused: %v", name, err, refused)
		}
	}
	reading := access.Caller{Kind: access.Key, User: "usr_01jd7x9k2mf3q8v5t0abcdefgh", Scopes: []string{"*:read"}, Permissions: access.Permissions{"*:read"}}
	if err := access.User().Scoped("users:manage").Check(reading); err == nil {
		t.Error("a key that reads everything is let in to write")
	}
}

// A rule asks for a declaration where machines could write without any permission.
func TestWantsScope(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rule access.Rule
		want bool
	}{
		"a person or a key":   {access.User(), true},
		"anybody":             {access.Anybody(), true},
		"anybody but keys":    {access.Anybody().But(access.Key), true},
		"in person":           {access.User().InPerson(), false},
		"scoped":              {access.Anybody().Scoped("users:manage"), false},
		"unscoped":            {access.Anybody().Unscoped(), false},
		"public":              {access.Public(), false},
		"optional":            {access.Optional(), false},
		"with a permission":   {access.Holding("apps:write"), false},
		"superadmins":         {access.Superadmin(), false},
		"apps with one scope": {access.Client("audit:write"), false},
	} {
		if got := c.rule.WantsScope(); got != c.want {
			t.Errorf("%s: WantsScope() = %v, want %v", name, got, c.want)
		}
	}
}
