package access_test

import (
	"errors"
	"net/netip"
	"slices"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/workspace"
)

// Share gives no more than is held, and no more than the scopes name.
func TestShare(t *testing.T) {
	t.Parallel()
	type list = []string
	for name, c := range map[string]struct {
		held       access.Permissions
		everything bool
		scopes     []string
		want       list
	}{
		"nothing of nothing":                 {nil, false, nil, nil},
		"no scopes":                          {access.Permissions{"*"}, false, nil, nil},
		"no scopes, everything":              {access.Permissions{"*"}, true, list{}, nil},
		"held":                               {access.Permissions{"users:read", "apps:read"}, false, list{"apps:read"}, list{"apps:read"}},
		"not held":                           {access.Permissions{"users:read"}, false, list{"apps:read"}, nil},
		"held by a pattern":                  {access.Permissions{"apps:*"}, false, list{"apps:write", "users:read"}, list{"apps:write"}},
		"a pattern that is held":             {access.Permissions{"apps:*"}, false, list{"apps:*"}, list{"apps:*"}},
		"a pattern within all":               {access.Permissions{"*"}, false, list{"*:read"}, list{"*:read"}},
		"all of all":                         {access.Permissions{"*"}, false, list{"*"}, list{"*"}},
		"a resource wider than held":         {access.Permissions{"apps:read", "users:read"}, false, list{"apps:*"}, list{"apps:read"}},
		"an action wider than held":          {access.Permissions{"apps:*"}, false, list{"*:read"}, list{"apps:read"}},
		"all wider than held":                {access.Permissions{"flows:read", "api_keys:*"}, false, list{"*"}, list{"api_keys:read", "api_keys:verify", "api_keys:write", "flows:read"}},
		"all, of an own permission":          {access.Permissions{"reports:read"}, false, list{"*"}, nil},
		"an own permission":                  {access.Permissions{"reports:read"}, false, list{"reports:read"}, list{"reports:read"}},
		"two scopes":                         {access.Permissions{"apps:read"}, false, list{"apps:read", "users:read", "apps:*"}, list{"apps:read", "apps:read"}},
		"an instance permission, not held":   {access.Permissions{"*"}, false, list{"users:manage"}, nil},
		"an instance permission by pattern":  {access.Permissions{"*", "users:manage"}, false, list{"users:*"}, list{"users:*"}},
		"an instance permission by its name": {access.Permissions{"users:manage"}, false, list{"users:manage"}, list{"users:manage"}},
		"instance permissions under all":     {access.Permissions{"users:manage", "apps:read"}, false, list{"*"}, list{"apps:read"}},
		"everything":                         {nil, true, list{"apps:read", "users:manage"}, list{"apps:read", "users:manage"}},
		"everything by patterns":             {nil, true, list{"*", "users:*"}, list{"*", "users:*"}},
	} {
		share := access.Share(c.held, c.everything, c.scopes)
		if !slices.Equal(share, c.want) {
			t.Errorf("%s: Share() = %q, want %q", name, share, c.want)
		}
		for _, p := range access.Catalog() {
			got := share.Cover(p.Name)
			want := (c.everything || c.held.Cover(p.Name)) && access.Permissions(c.scopes).Cover(p.Name)
			if got != want {
				t.Errorf("%s: the share covers %s = %v, want %v", name, p.Name, got, want)
			}
		}
	}
}

// A pattern of a key of a superadmin does not reach across workspaces either.
func TestEverythingIsNotEveryInstancePermission(t *testing.T) {
	t.Parallel()
	share := access.Share(access.Permissions{"*"}, true, []string{"*", "users:*", "*:manage"})
	for _, name := range []string{"users:manage", "sessions:manage", "users:impersonate", "privacy:manage"} {
		if share.Cover(name) {
			t.Errorf("the share covers %s", name)
		}
	}
}

func TestIsOwn(t *testing.T) {
	t.Parallel()
	for _, p := range access.Catalog() {
		if !access.IsOwn(p.Name) {
			t.Errorf("IsOwn(%s) = false", p.Name)
		}
	}
	for scope, want := range map[string]bool{
		"*": true, "*:*": true, "*:read": true, "users:*": true, "api_keys:*": true, "*:verify": true, "teams:delete": true,
		"": false, ":": false, "users": false, "users:": false, ":read": false, "users:read:own": false, "USERS:READ": false,
		"invoices:read": false, "invoices:*": false, "*:archive": false, "openid": false, "https://api.example.com/read": false,
	} {
		if got := access.IsOwn(scope); got != want {
			t.Errorf("IsOwn(%q) = %v, want %v", scope, got, want)
		}
	}
}

func TestRemaining(t *testing.T) {
	t.Parallel()
	type list = []string
	for name, c := range map[string]struct {
		scopes, granted list
		listed          bool
		want            list
	}{
		"nothing":                              {nil, list{"users:read"}, false, nil},
		"all granted":                          {list{"users:read", "invoices:read"}, list{"users:read", "invoices:read"}, true, list{"users:read", "invoices:read"}},
		"taken back":                           {list{"users:read", "apps:read"}, list{"apps:read"}, true, list{"apps:read"}},
		"all taken back":                       {list{"users:read"}, nil, false, list{}},
		"foreign scopes are free":              {list{"invoices:read", "openid"}, nil, false, list{"invoices:read", "openid"}},
		"until they are withdrawn":             {list{"orders:pay", "orders:read"}, nil, false, list{"orders:read"}},
		"but not where there is a list":        {list{"invoices:read", "openid"}, list{"openid"}, true, list{"openid"}},
		"a listed pattern is a name":           {list{"invoices:read"}, list{"invoices:*"}, true, list{}},
		"own ones by a granted pattern":        {list{"users:read", "apps:read"}, list{"users:*"}, false, list{"users:read"}},
		"a pattern of own ones wants a grant":  {list{"users:*", "*"}, list{"users:read"}, false, list{}},
		"a pattern that is granted":            {list{"users:*"}, list{"users:*"}, true, list{"users:*"}},
		"instance permissions want their name": {list{"users:manage"}, list{"*", "users:*"}, false, list{}},
		"an instance permission by its name":   {list{"users:manage"}, list{"users:manage"}, true, list{"users:manage"}},
	} {
		asked := slices.Clone(c.scopes)
		if got := access.Remaining(c.scopes, c.granted, c.listed, list{"orders:pay", "users:read"}); !slices.Equal(got, c.want) {
			t.Errorf("%s: Remaining() = %q, want %q", name, got, c.want)
		}
		if !slices.Equal(c.scopes, asked) {
			t.Errorf("%s: the scopes themselves are %q now", name, c.scopes)
		}
	}
}

func TestAllowedFrom(t *testing.T) {
	t.Parallel()
	networks := func(texts ...string) []netip.Prefix {
		var list []netip.Prefix
		for _, text := range texts {
			list = append(list, netip.MustParsePrefix(text))
		}
		return list
	}
	for name, c := range map[string]struct {
		allowed []netip.Prefix
		ip      string
		want    bool
	}{
		"no list":                        {nil, "203.0.113.9", true},
		"an empty list":                  {[]netip.Prefix{}, "2001:db8::1", true},
		"the address":                    {networks("203.0.113.9/32"), "203.0.113.9", true},
		"its neighbor":                   {networks("203.0.113.9/32"), "203.0.113.10", false},
		"the first of a network":         {networks("203.0.113.0/29"), "203.0.113.0", true},
		"the last of a network":          {networks("203.0.113.0/29"), "203.0.113.7", true},
		"the first beyond it":            {networks("203.0.113.0/29"), "203.0.113.8", false},
		"the second network":             {networks("198.51.100.0/24", "203.0.113.0/24"), "203.0.113.9", true},
		"IPv4 in IPv6":                   {networks("203.0.113.0/24"), "::ffff:203.0.113.9", true},
		"IPv4 in IPv6, elsewhere":        {networks("203.0.113.0/24"), "::ffff:198.51.100.9", false},
		"IPv6":                           {networks("2001:db8:1::/48"), "2001:db8:1:ffff::1", true},
		"IPv6, elsewhere":                {networks("2001:db8:1::/48"), "2001:db8:2::1", false},
		"IPv6 with a zone":               {networks("fe80::/10"), "fe80::1%eth0", true},
		"all of IPv6 is not IPv4":        {networks("::/0"), "203.0.113.9", false},
		"nor IPv4 in IPv6":               {networks("::/0"), "::ffff:203.0.113.9", false},
		"all of IPv4 is not IPv6":        {networks("0.0.0.0/0"), "2001:db8::1", false},
		"an address nobody knows":        {networks("0.0.0.0/0", "::/0"), "", false},
		"an unknown address, no list":    {nil, "", true},
		"a network with an end of no IP": {[]netip.Prefix{{}}, "203.0.113.9", false},
	} {
		var ip netip.Addr
		if c.ip != "" {
			ip = netip.MustParseAddr(c.ip)
		}
		if got := access.AllowedFrom(c.allowed, ip); got != c.want {
			t.Errorf("%s: AllowedFrom(%v, %s) = %v, want %v", name, c.allowed, c.ip, got, c.want)
		}
	}
}

// Whoever acts in no workspace sees nothing, not everything.
func TestWhatACallerSees(t *testing.T) {
	t.Parallel()
	const mine, other = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh"), workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgx")
	for name, c := range map[string]struct {
		caller            access.Caller
		mine, other, none bool
		horizon           workspace.ID
		refused           error
	}{
		"a member":                         {access.Caller{Org: mine}, true, false, false, mine, nil},
		"a superadmin":                     {access.Caller{Org: mine, Superadmin: true}, true, true, true, "", nil},
		"a superadmin without a workspace": {access.Caller{Superadmin: true}, true, true, true, "", nil},
		"somebody without a workspace":     {access.Caller{}, false, false, false, "", workspace.ErrNotFound},
	} {
		if c.caller.Sees(mine) != c.mine || c.caller.Sees(other) != c.other || c.caller.Sees("") != c.none {
			t.Errorf("%s sees the wrong workspaces", name)
		}
		if got, err := c.caller.Horizon(); got != c.horizon || !errors.Is(err, c.refused) {
			t.Errorf("%s: Horizon() = %q, %v", name, got, err)
		}
	}
}

// A key, its user and an app are different subjects, whatever else is known.
func TestSubject(t *testing.T) {
	t.Parallel()
	full := access.Caller{
		User: "usr_01jd7x9k2mf3q8v5t0abcdefgh", Session: "ses_01jd7x9k2mf3q8v5t0abcdefgh", APIKey: "key_01jd7x9k2mf3q8v5t0abcdefgh",
		App: "0193c1a2-7b1e-7c3d-9a5f-0123456789ab", Client: "billing-worker",
	}
	for kind, want := range map[access.Kind]string{
		"": "", access.Person: full.User.String(), access.Key: full.APIKey.String(), access.App: full.App.String(),
	} {
		full.Kind = kind
		if got := full.Subject(); got != want {
			t.Errorf("Subject() of %q = %q, want %q", kind, got, want)
		}
		if got := full.Authenticated(); got != (kind != "") {
			t.Errorf("Authenticated() of %q = %v", kind, got)
		}
	}
}

// Scopes alone permit nothing.
func TestMay(t *testing.T) {
	t.Parallel()
	c := access.Caller{Kind: access.App, Permissions: access.Permissions{"apps:*"}, Scopes: []string{"users:*", "openid"}}
	if !c.May("apps:read") || c.May("users:read") || c.May("*") {
		t.Error("May() does not follow the permissions")
	}
	super := access.Caller{Kind: access.Person, Superadmin: true}
	if !super.May("users:manage") || !super.May("anything:else") {
		t.Error("a superadmin may not")
	}
}
