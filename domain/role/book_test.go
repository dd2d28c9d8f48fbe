package role_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

func now() time.Time { return time.Date(2026, 11, 23, 10, 0, 0, 0, time.UTC) }

// roleID is the identifier of the role of a number.
func roleID(n int) role.ID { return role.ID(fmt.Sprintf("rol_01jd7x9k2mf3q8v5t0abcde%03d", n)) }

func defined(n int, name string, permissions []string, inherits ...string) role.Snapshot {
	return role.Snapshot{ID: roleID(n), Name: workspace.Label(name), Permissions: permissions, Inherits: inherits}
}

func key(n int) string { return roleID(n).String() }

func TestNamesAreTheSameInAnyCase(t *testing.T) {
	t.Parallel()
	book := role.NewBook(role.Content{Version: 3, Roles: []role.Snapshot{defined(1, "Éditeur", []string{"flows:read"})}})
	for name, want := range map[string]string{"owner": "owner", "OWNER": "owner", " Admin ": "admin", "éditeur": key(1), "ÉDITEUR": key(1)} {
		if got, err := book.Named(name); err != nil || got.Key() != want {
			t.Errorf("Named(%q) = %q, %v", name, got.Key(), err)
		}
	}
	for _, name := range []string{"", "emperor", key(1)} {
		if _, err := book.Named(name); !errors.Is(err, role.ErrUnknown) {
			t.Errorf("Named(%q) = %v", name, err)
		}
	}
	if names := book.Names([]string{"member", "gone", key(1)}); !slices.Equal(names, []string{"member", "Éditeur"}) {
		t.Errorf("Names() = %q", names)
	}
	for _, name := range []string{"Owner", "éditeur"} {
		if _, err := book.With(defined(2, name, nil)); !errors.Is(err, role.ErrNameTaken) {
			t.Errorf("With(%q) = %v", name, err)
		}
	}
	if _, err := book.With(defined(1, "ÉDITEUR", nil)); err != nil {
		t.Errorf("renaming to the same name: %v", err)
	}
}

func TestWhatRolesMayCarry(t *testing.T) {
	t.Parallel()
	book := role.NewBook(role.Content{Own: []string{"docs:write", "wiki:*"}})
	for permission, want := range map[string]bool{
		"flows:read": true, "docs:write": true, "wiki:*": true,
		"docs:read": false, "wiki:read": false, "users:manage": false, "sessions:manage": false, "users:impersonate": false, "privacy:manage": false,
		"*": false, "*:*": false, "flows:*": false, "*:read": false, "flows": false, "": false, "FLOWS:READ": false,
	} {
		_, err := book.With(defined(1, "one", []string{permission}))
		if (err == nil) != want || book.Permits(permission) != want {
			t.Errorf("%q: %v, permitted: %v, want %v", permission, err, book.Permits(permission), want)
		}
		if err != nil && (fault.From(err).Code != fault.Validation || fault.From(err).Fields[0].Path != "/permissions") {
			t.Errorf("%q: %v", permission, err)
		}
	}
}

func TestACycleIsNamed(t *testing.T) {
	t.Parallel()
	book := role.NewBook(role.Content{Roles: []role.Snapshot{
		defined(1, "reader", []string{"flows:read"}), defined(2, "editor", nil, key(1)), defined(3, "chief", nil, key(2), "member"),
	}})
	for want, changed := range map[string]role.Snapshot{
		"reader inherits reader":                                defined(1, "reader", nil, key(1)),
		"reader inherits editor inherits reader":                defined(1, "reader", nil, "member", key(2)),
		"reader inherits chief inherits editor inherits reader": defined(1, "reader", nil, key(3)),
		"editor inherits chief inherits editor":                 defined(2, "editor", nil, key(3)),
		"contains a role that does not exist in this workspace": defined(4, "new", nil, key(9)),
	} {
		_, err := book.With(changed)
		if err == nil || fault.From(err).Code != fault.Validation || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("With(%s) = %v, want %s", changed.Name, err, want)
		}
	}
	if _, err := book.Without(roleID(1), key(3)); err == nil || !strings.Contains(err.Error(), "cycle") || fault.From(err).Fields[0].Path != "/replace_with" {
		t.Errorf("a role replaced by one that inherits it through another: %v", err)
	}
	after, err := book.Without(roleID(2), "member")
	if err != nil {
		t.Fatal(err)
	}
	if chief, _ := after.ByKey(key(3)); !slices.Equal(chief.Inherits, []string{"member"}) {
		t.Errorf("the chief inherits %q", chief.Inherits)
	}
}

func TestRolesInheritEightDeep(t *testing.T) {
	t.Parallel()
	content := role.Content{Roles: []role.Snapshot{defined(0, "r0", []string{"flows:read"})}}
	for n := 1; n <= role.MostDeep; n++ {
		made := defined(n, fmt.Sprint("r", n), nil, key(n-1))
		if _, err := role.NewBook(content).With(made); err != nil {
			t.Fatalf("%d deep: %v", n, err)
		}
		content.Roles = append(content.Roles, made)
	}
	book := role.NewBook(content)
	if deepest, _ := book.ByKey(key(role.MostDeep)); !deepest.Permissions.Cover("flows:read") {
		t.Error("the deepest role lacks what it inherits")
	}
	if _, err := book.With(defined(100, "deeper", nil, key(role.MostDeep))); !errors.Is(err, role.ErrTooDeep) {
		t.Errorf("one deeper: %v", err)
	}
	// It is as wrong to make the chain longer at its other end.
	if _, err := book.With(defined(0, "r0", nil, "member")); !errors.Is(err, role.ErrTooDeep) {
		t.Errorf("one deeper at the end: %v", err)
	}
}

// However roles inherit, what they grant is found and judged fast: each layer here
// inherits all of the next one, so there are more chains than one could walk.
func TestManyChainsAreWalkedOnce(t *testing.T) {
	t.Parallel()
	const wide = 24
	var content role.Content
	for layer := range role.MostDeep {
		for n := range wide {
			s := defined(layer*wide+n, fmt.Sprint("r", layer, ".", n), []string{access.WorkspacePermissions()[layer*6+n%6].Name})
			if layer > 0 {
				for below := range wide {
					s.Inherits = append(s.Inherits, key((layer-1)*wide+below))
				}
			}
			content.Roles = append(content.Roles, s)
		}
	}
	began := time.Now()
	book, err := role.NewBook(content).With(defined(900, "top", nil, key((role.MostDeep-1)*wide)))
	if took := time.Since(began); err != nil || took > 5*time.Second {
		t.Fatalf("With() = %v after %v", err, took)
	}
	if top, _ := book.ByKey(key(900)); len(top.Permissions) != 7*6+1 {
		t.Errorf("the top grants %d permissions", len(top.Permissions))
	}
}

// Whatever roles, grants and groups there are: a standing covers a permission exactly
// where some role that is live covers it by itself, or inherits one that does.
func TestStandingIsWhatItsRolesGrant(t *testing.T) {
	t.Parallel()
	all := access.WorkspacePermissions()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 7))
		content, direct, inherits := role.Content{Groups: map[group.ID]role.Group{}, Own: []string{"docs:read", "docs:write"}}, map[string][]string{}, map[string][]string{}
		for n := range 1 + random.IntN(8) {
			s := defined(n, fmt.Sprint("r", n), []string{all[random.IntN(len(all))].Name, []string{"docs:read", "docs:write"}[random.IntN(2)]})
			for below := range n {
				if random.IntN(3) == 0 {
					s.Inherits = append(s.Inherits, key(below))
				}
			}
			content.Roles = append(content.Roles, s)
			direct[key(n)], inherits[key(n)] = s.Permissions, s.Inherits
		}
		some := func() string { return key(random.IntN(len(content.Roles) + 1)) } // one of them is gone
		for g := range 3 {
			content.Groups[group.ID(fmt.Sprint("grp_", g))] = role.Group{Name: fmt.Sprint("g", g), Roles: []string{some(), some()}}
		}
		held := role.MemberGrants{
			Grants: []workspace.Grant{{Role: some()}, {Role: some(), ExpiresAt: now().Add(time.Duration(random.IntN(3)-1) * time.Hour)}},
			Groups: []group.ID{group.ID(fmt.Sprint("grp_", random.IntN(4)))},
		}
		live := workspace.LiveRoles(held.Grants, now())
		live = append(live, content.Groups[held.Groups[0]].Roles...)
		var grants func(key, permission string) bool
		grants = func(key, permission string) bool {
			return slices.Contains(direct[key], permission) || slices.ContainsFunc(inherits[key], func(below string) bool { return grants(below, permission) })
		}
		book := role.NewBook(content)
		standing := book.Standing(held, now())
		for _, p := range append(access.Catalog(), access.Permission{Name: "docs:read"}, access.Permission{Name: "docs:write"}) {
			want := slices.ContainsFunc(live, func(key string) bool { return grants(key, p.Name) })
			if got := standing.Permissions.Cover(p.Name); got != want || (standing.Via(p.Name) != "") != want {
				t.Fatalf("seed %d: %s is covered: %v, via %q, want %v", seed, p.Name, got, standing.Via(p.Name), want)
			}
			carriers := book.Carrying(p.Name)
			carried := slices.ContainsFunc(live, func(key string) bool { return slices.Contains(carriers.Roles, key) })
			if carried != want {
				t.Fatalf("seed %d: the carriers of %s are %v", seed, p.Name, carriers)
			}
		}
		if len(slices.Compact(slices.Sorted(slices.Values(standing.Roles)))) != len(standing.Roles) {
			t.Fatalf("seed %d: a role is named twice: %q", seed, standing.Roles)
		}
	}
}

func TestViaNamesTheWay(t *testing.T) {
	t.Parallel()
	book := role.NewBook(role.Content{
		Roles:  []role.Snapshot{defined(1, "Editor", []string{"docs:write"}), defined(2, "Chief", nil, key(1))},
		Groups: map[group.ID]role.Group{"grp_1": {Name: "ops", Roles: []string{key(1)}}, "grp_2": {Name: "Apes", Roles: []string{key(2)}}},
		Own:    []string{"docs:write", "docs:read"},
	})
	soon := now().Add(time.Hour)
	for want, held := range map[string]role.MemberGrants{
		"":                      {Grants: []workspace.Grant{{Role: "member"}, {Role: key(1), ExpiresAt: now()}}},
		"role:owner":            {Grants: []workspace.Grant{{Role: "owner"}, {Role: key(1)}}},
		"role:Editor":           {Grants: []workspace.Grant{{Role: key(1), ExpiresAt: soon}}, Groups: []group.ID{"grp_1"}},
		"role:Chief":            {Grants: []workspace.Grant{{Role: key(2)}}},
		"group:ops/role:Editor": {Grants: []workspace.Grant{{Role: "admin"}}, Groups: []group.ID{"grp_9", "grp_1"}},
		"group:Apes/role:Chief": {Groups: []group.ID{"grp_1", "grp_2"}},
	} {
		standing := book.Standing(held, now())
		if got := standing.Via("docs:write"); got != want {
			t.Errorf("Via() = %q, want %q", got, want)
		}
		if own := standing.Own(); (len(own) > 0) != (want != "") || (want == "role:owner") != (len(own) == 2) {
			t.Errorf("%q holds the own permissions %q", want, own)
		}
	}
	way, holds := book.Standing(role.MemberGrants{Grants: []workspace.Grant{{Role: key(1), ExpiresAt: soon}}}, now()).Has(key(1))
	if !holds || !way.ExpiresAt.Equal(soon) {
		t.Errorf("Has() = %v, %v", way, holds)
	}
}

func TestOwnNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"docs:write": true, "docs:*": true, "d_1.x-y:0": true,
		"*": false, "*:*": false, "*:read": false, "docs": false, "docs:": false, ":write": false, "Docs:write": false, "docs:Write": false,
		"docs:write:own": false, "docs:w*": false, "users:archive": false, "billing:x": false, "api_keys:*": false, "docs/1:write": false,
		"docs:write\n": false, "docs:" + strings.Repeat("w", 59): true, "docs:" + strings.Repeat("w", 60): false,
	} {
		var name role.OwnName
		if err := name.UnmarshalText([]byte(text)); (err == nil) != want {
			t.Errorf("%q: %v", text, err)
		}
	}
}
