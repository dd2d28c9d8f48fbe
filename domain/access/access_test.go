package access_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
)

func TestCover(t *testing.T) {
	t.Parallel()
	tests := []struct {
		holds      access.Permissions
		permission string
		want       bool
	}{
		{nil, "users:read", false},
		{access.Permissions{"users:read"}, "users:read", true},
		{access.Permissions{"users:read"}, "users:write", false},
		{access.Permissions{"users:*"}, "users:read", true},
		{access.Permissions{"*:read"}, "users:read", true},
		{access.Permissions{"*:read"}, "users:write", false},
		{access.Permissions{"*"}, "users:read", true},
		{access.Permissions{"*"}, "users:manage", false},
		{access.Permissions{"users:*"}, "users:manage", false},
		{access.Permissions{"*:manage"}, "sessions:manage", false},
		{access.Permissions{"*", "users:manage"}, "users:manage", true},
		{access.Permissions{"flows:read"}, "flows", false},
		{access.Permissions{"admin"}, "*", false},
		{access.Permissions{"*"}, "*", true},
		{access.Permissions{"users:read"}, "*", false},
	}
	for _, test := range tests {
		if got := test.holds.Cover(test.permission); got != test.want {
			t.Errorf("%v covers %s = %v, want %v", test.holds, test.permission, got, test.want)
		}
	}
}

func TestCatalogIsSortedAndUnique(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range access.Catalog() {
		names = append(names, p.Name)
		if strings.Count(p.Name, ":") != 1 || !strings.HasSuffix(p.Description, ".") {
			t.Errorf("%s is malformed or has no sentence", p.Name)
		}
	}
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Error("the catalog is not in order, or names something twice")
	}
	if len(names) != 60 {
		t.Errorf("%d permissions, the registry's rules name 60", len(names))
	}
}

func TestRules(t *testing.T) {
	t.Parallel()
	person := access.Caller{Kind: access.Person, User: "usr_01jd7x9k2mf3q8v5t0abcdefgh", Permissions: access.Permissions{"flows:read"}}
	super := access.Caller{Kind: access.Person, User: "usr_01jd7x9k2mf3q8v5t0abcdefgh", Superadmin: true}
	const pass = fault.Code("")
	tests := []struct {
		rule                     access.Rule
		anonymous, person, super fault.Code
	}{
		{access.Public(), pass, pass, pass},
		{access.Optional(), pass, pass, pass},
		{access.User(), fault.Auth, pass, pass},
		{access.Holding("flows:read"), fault.Auth, pass, pass},
		{access.Holding("flows:write"), fault.Auth, fault.Denied, pass},
		{access.Holding("users:manage"), fault.Auth, fault.Denied, pass},
		{access.Superadmin(), fault.Auth, fault.Denied, pass},
	}
	for _, test := range tests {
		for name, c := range map[string]struct {
			caller access.Caller
			want   fault.Code
		}{"anonymous": {access.Caller{}, test.anonymous}, "person": {person, test.person}, "superadmin": {super, test.super}} {
			err := test.rule.Check(c.caller)
			if (err == nil) != (c.want == pass) || (err != nil && fault.From(err).Code != c.want) {
				t.Errorf("%s for %s = %v, want %q", test.rule, name, err, c.want)
			}
		}
	}
	for _, rule := range []access.Rule{access.Optional(), access.User(), access.Anybody(), access.Holding("flows:read"), access.Superadmin(), access.User().Recent()} {
		for _, caller := range []access.Caller{person, super} {
			caller.Unfinished = true
			if err := rule.Check(caller); !errors.Is(err, access.ErrUnfinished) || rule.TakesUnfinished() {
				t.Errorf("%s for somebody unfinished = %v", rule, err)
			}
		}
		opened := rule.Unfinished()
		caller := super
		caller.Unfinished = true
		if err := opened.Check(caller); err != nil || !opened.TakesUnfinished() || rule.TakesUnfinished() {
			t.Errorf("%s, opened, for somebody unfinished = %v", rule, err)
		}
	}
	for _, kind := range access.User().Recent().Kinds() {
		if err := access.User().Recent().Fits(kind); err != nil {
			t.Errorf("a rule that asks for a recent login, for a caller by %s = %v", kind, err)
		}
	}
	if err := access.Superadmin().Check(person); !errors.Is(err, access.ErrSuperadmin) {
		t.Errorf("Check() = %v, want ErrSuperadmin", err)
	}
}
