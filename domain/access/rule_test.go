package access_test

import (
	"errors"
	"slices"
	"testing"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
)

// callers are one of each kind, without and with what rules ask for.
func callers() map[string]access.Caller {
	const (
		person = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
		of     = "0193c1a2-7b1e-7c3d-9a5f-0123456789ab"
	)
	held := access.Permissions{"apps:read"}
	return map[string]access.Caller{
		"anonymous":        {},
		"person":           {Kind: access.Person, User: person},
		"holding person":   {Kind: access.Person, User: person, Permissions: held},
		"superadmin":       {Kind: access.Person, User: person, Superadmin: true},
		"key":              {Kind: access.Key, User: person, Scopes: []string{"apps:read"}},
		"holding key":      {Kind: access.Key, User: person, Scopes: []string{"apps:read"}, Permissions: held},
		"app":              {Kind: access.App, App: of},
		"app with a scope": {Kind: access.App, App: of, Scopes: []string{"apps:read"}},
		"holding app":      {Kind: access.App, App: of, Permissions: held},
		"whole key":        {Kind: access.Key, User: person, Scopes: []string{"*"}},
		"whole app":        {Kind: access.App, App: of, Scopes: []string{"flows:read", "*:*"}},
		"client":           {Kind: access.Delegated, User: person, Scopes: []string{"apps:read"}},
		"holding client":   {Kind: access.Delegated, User: person, Scopes: []string{"apps:read"}, Permissions: held},
		"nonsense":         {Kind: "robot", User: person, Superadmin: true, Permissions: held, Scopes: []string{"apps:read"}},
	}
}

// Every rule meets every kind of caller.
func TestEveryRuleForEveryCaller(t *testing.T) {
	t.Parallel()
	var (
		pass    error
		scope   = fault.New(fault.Denied, "this command requires an M2M token with the scope apps:read")
		holding = fault.New(fault.Denied, "this command requires the permission apps:read")
	)
	// all is what a rule says to each of the callers above.
	all := func(anonymous, person, holdingPerson, super, key, holdingKey, app, scopedApp, holdingApp, client, holdingClient, nonsense error) map[string]error {
		return map[string]error{
			"whole key": key, "whole app": app,
			"anonymous": anonymous, "person": person, "holding person": holdingPerson, "superadmin": super,
			"key": key, "holding key": holdingKey, "app": app, "app with a scope": scopedApp, "holding app": holdingApp,
			"client": client, "holding client": holdingClient, "nonsense": nonsense,
		}
	}
	login, person, noApps, apps, super := access.ErrUnauthenticated, access.ErrInPerson, access.ErrNotForApps, access.ErrAppsOnly, access.ErrSuperadmin
	for _, test := range []struct {
		rule  access.Rule
		kinds []access.Kind
		want  map[string]error
	}{
		{access.Rule{}, everybody(), all(pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass)},
		{access.Public(), everybody(), all(pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass)},
		{access.Optional(), everybody(), all(pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass, pass)},
		{
			access.User(),
			[]access.Kind{access.Person, access.Key, access.Impersonated},
			all(login, pass, pass, pass, pass, pass, noApps, noApps, noApps, person, person, person),
		},
		{
			access.User().InPerson(),
			[]access.Kind{access.Person},
			all(login, pass, pass, pass, person, person, person, person, person, person, person, person),
		},
		{
			access.Anybody(),
			[]access.Kind{access.Person, access.Key, access.App, access.Impersonated},
			all(login, pass, pass, pass, pass, pass, pass, pass, pass, person, person, person),
		},
		{
			access.Anybody().But(access.App),
			[]access.Kind{access.Person, access.Key, access.Impersonated},
			all(login, pass, pass, pass, pass, pass, noApps, noApps, noApps, person, person, person),
		},
		{
			access.Anybody().But(access.Key),
			[]access.Kind{access.Person, access.App, access.Impersonated},
			all(login, pass, pass, pass, person, person, pass, pass, pass, person, person, person),
		},
		{
			access.Holding("apps:read"), everybody(),
			all(login, holding, pass, pass, holding, pass, holding, holding, pass, holding, pass, person),
		},
		{
			access.Holding("apps:read").But(access.App),
			[]access.Kind{access.Person, access.Key, access.Delegated, access.Impersonated},
			all(login, holding, pass, pass, holding, pass, noApps, noApps, noApps, holding, pass, person),
		},
		{
			access.Holding("apps:read").But(access.App).But(access.Key),
			[]access.Kind{access.Person, access.Delegated, access.Impersonated},
			all(login, holding, pass, pass, person, person, person, person, person, holding, pass, person),
		},
		{
			access.Holding("apps:read").InPerson(),
			[]access.Kind{access.Person},
			all(login, holding, pass, pass, person, person, person, person, person, person, person, person),
		},
		{
			access.Superadmin(),
			[]access.Kind{access.Person},
			all(login, super, super, pass, super, super, super, super, super, super, super, super),
		},
		{
			access.Client("apps:read"),
			[]access.Kind{access.App},
			all(login, apps, apps, apps, apps, apps, scope, scope, pass, apps, apps, apps),
		},
	} {
		for name, caller := range callers() {
			if got := test.rule.Check(caller); !alike(got, test.want[name]) {
				t.Errorf("%s (%v) says to %s: %v, want %v", test.rule, test.kinds, name, got, test.want[name])
			}
		}
		if got := test.rule.Kinds(); !slices.Equal(got, test.kinds) {
			t.Errorf("Kinds() of %s = %v, want %v", test.rule, got, test.kinds)
		}
	}
}

func everybody() []access.Kind {
	return []access.Kind{access.Person, access.Key, access.App, access.Delegated, access.Impersonated}
}

// alike reports whether two faults say the same with the same code.
func alike(got, want error) bool {
	if got == nil || want == nil {
		return got == nil && want == nil
	}
	return fault.From(got).Code == fault.From(want).Code && got.Error() == want.Error()
}

// Who acts as somebody else may do what an API key of theirs with all scopes may, and nothing that
// needs the person.
func TestWhoActsAsSomebody(t *testing.T) {
	t.Parallel()
	as := access.Caller{Kind: access.Impersonated, User: "usr_01jd7x9k2mf3q8v5t0abcdefgh", Permissions: access.Permissions{"apps:read"}}
	for name, c := range map[string]struct {
		rule access.Rule
		want error
	}{
		"own things":              {access.User(), nil},
		"own things, by scope":    {access.Anybody().Scoped("users:manage"), nil},
		"own things in person":    {access.User().InPerson(), access.ErrForPerson},
		"opened":                  {access.User().InPerson().Impersonated(), nil},
		"with the permission":     {access.Holding("apps:read"), nil},
		"with it, recently":       {access.Holding("apps:read").Recent(), access.ErrForPerson},
		"with another permission": {access.Holding("apps:write"), fault.New(fault.Denied, "this command requires the permission apps:write")},
		"superadmins":             {access.Superadmin(), access.ErrSuperadmin},
		"apps":                    {access.Client("apps:read"), access.ErrAppsOnly},
		"whoever":                 {access.Optional(), nil},
	} {
		if got := c.rule.Check(as); !alike(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	person := as
	person.Kind, person.Session, as.Session = access.Person, "ses_01jd7x9k2mf3q8v5t0abcdefgh", "ses_01jd7x9k2mf3q8v5t0abcdefgj"
	if as.Subject() == person.Subject() || as.Subject() == "" {
		t.Errorf("known as %q, as the person is", as.Subject())
	}
	if !access.Impersonated.InSession() || !access.Person.InSession() || access.Key.InSession() || access.Delegated.InSession() {
		t.Error("others than people and who acts as them act in sessions")
	}
}

// What refuses says what to do instead, and with which code.
func TestRefusalsOfCallers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		err  error
		want fault.Code
	}{
		{access.ErrUnauthenticated, fault.Auth},
		{access.ErrSuperadmin, fault.Denied},
		{access.ErrInPerson, fault.Denied},
		{access.ErrNotForApps, fault.Denied},
		{access.ErrAppsOnly, fault.Denied},
	} {
		if got := fault.From(test.err).Code; got != test.want {
			t.Errorf("%v has the code %s, want %s", test.err, got, test.want)
		}
	}
	// No permission and no share of one makes a key or an app a superadmin.
	for _, kind := range []access.Kind{access.Key, access.App} {
		mighty := access.Caller{Kind: kind, Superadmin: true, Permissions: access.Permissions{"*", "users:manage"}, Scopes: []string{"*"}}
		if err := access.Superadmin().Check(mighty); !errors.Is(err, access.ErrSuperadmin) {
			t.Errorf("Check() of a mighty %s = %v, want ErrSuperadmin", kind, err)
		}
	}
}

// A rule that derives from another leaves that one as it is.
func TestDerivingLeavesTheRule(t *testing.T) {
	t.Parallel()
	base := access.Anybody()
	narrow, person, again := base.But(access.Person), base.InPerson(), base.But(access.App)
	for name, c := range map[string]struct {
		rule access.Rule
		want []access.Kind
	}{
		"the rule":        {base, []access.Kind{access.Person, access.Key, access.App, access.Impersonated}},
		"but persons":     {narrow, []access.Kind{access.Key, access.App, access.Impersonated}},
		"in person":       {person, []access.Kind{access.Person}},
		"but apps":        {again, []access.Kind{access.Person, access.Key, access.Impersonated}},
		"what is absent":  {access.User().But(access.App), []access.Kind{access.Person, access.Key, access.Impersonated}},
		"the last is out": {access.Superadmin().But(access.Person), []access.Kind{}},
	} {
		if got := c.rule.Kinds(); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestWhatARuleSaysOfItself(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule              access.Rule
		text, permission  string
		anonymous, honors bool
	}{
		{access.Rule{}, "public", "", true, false},
		{access.Public(), "public", "", true, false},
		{access.Optional(), "public", "", true, true},
		{access.User(), "user", "", false, true},
		{access.User().InPerson(), "user", "", false, true},
		{access.Anybody(), "user", "", false, true},
		{access.Holding("apps:read"), "permission:apps:read", "apps:read", false, true},
		{access.Holding("apps:read").But(access.App), "permission:apps:read", "apps:read", false, true},
		{access.Superadmin(), "superadmin", "", false, true},
		{access.Client("api_keys:verify"), "client:api_keys:verify", "api_keys:verify", false, true},
	} {
		r := test.rule
		if r.String() != test.text || r.Permission() != test.permission || r.Anonymous() != test.anonymous || r.Honors() != test.honors {
			t.Errorf("%s: permission %q, anonymous %v, honors %v, want %+v", r, r.Permission(), r.Anonymous(), r.Honors(), test)
		}
	}
}
