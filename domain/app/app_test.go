package app_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
)

const (
	appID = app.ID("0193c1a2-7b1e-7c3d-9a5f-0123456789ab")
	org   = "org_01jd7x9k2mf3q8v5t0abcdefgh"
)

func noon() time.Time { return time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC) }

// registered makes an app of a type and forgets its first event.
func registered(t *testing.T, kind app.Type) *app.App {
	t.Helper()
	made, err := app.Register(app.Registration{ID: appID, OrgID: org, Slug: "billing", Name: "Billing", Type: kind}, noon())
	if err != nil {
		t.Fatal(err)
	}
	made.Stored()
	return made
}

// raised returns the kinds of the events since the last call.
func raised(a *app.App) []event.Kind {
	var kinds []event.Kind
	for _, one := range a.Stored() {
		kinds = append(kinds, one.Kind())
	}
	return kinds
}

// wantRaised fails the test unless exactly these kinds were raised.
func wantRaised(t *testing.T, a *app.App, want ...event.Kind) {
	t.Helper()
	if got := raised(a); !slices.Equal(got, want) {
		t.Fatalf("raised %q, want %q", got, want)
	}
}

// wantPath fails the test unless the error complains about this parameter.
func wantPath(t *testing.T, err error, path string) {
	t.Helper()
	refused, ok := errors.AsType[*fault.Error](err)
	if !ok || refused.Code != fault.Validation ||
		!slices.ContainsFunc(refused.Fields, func(f fault.Field) bool { return f.Path == path }) {
		t.Fatalf("got %v, want a complaint about %s", err, path)
	}
}

func TestRegister(t *testing.T) {
	t.Parallel()
	for kind, want := range map[app.Type][]app.GrantType{
		"":          {app.ClientCredentials},
		app.Service: {app.ClientCredentials},
		app.Web:     {app.AuthorizationCode, app.RefreshToken},
		app.SPA:     {app.AuthorizationCode, app.RefreshToken},
		app.Native:  {app.AuthorizationCode, app.RefreshToken},
	} {
		made, err := app.Register(app.Registration{ID: appID, OrgID: org, Slug: "billing", Type: kind}, noon())
		if err != nil {
			t.Fatal(err)
		}
		s := made.Snapshot()
		if !slices.Equal(s.GrantTypes, want) || !s.Enabled || s.Listed || s.Type == "" || !s.CreatedAt.Equal(noon()) {
			t.Errorf("a new %q is %+v", kind, s)
		}
		wantRaised(t, made, app.KindRegistered)
	}
	for name, scopes := range map[string][]string{"empty": {}, "some": {"b", "a", "b"}} {
		made, err := app.Register(app.Registration{ID: appID, OrgID: org, Slug: "billing", Scopes: scopes}, noon())
		if err != nil {
			t.Fatal(err)
		}
		s := made.Snapshot()
		if !s.Listed || !slices.Equal(s.Scopes, slices.Compact(slices.Sorted(slices.Values(scopes)))) {
			t.Errorf("%s: scopes %q, listed %t", name, s.Scopes, s.Listed)
		}
	}
}

func TestRegisterRefuses(t *testing.T) {
	t.Parallel()
	many := make([]string, 201)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	for path, r := range map[string]app.Registration{
		"/grant_types":     {Type: app.SPA, GrantTypes: []app.GrantType{app.ClientCredentials}},
		"/redirect_urls/1": {RedirectURLs: []string{"https://a.example", "http://a.example"}},
		"/redirect_urls":   {RedirectURLs: make([]string, 51)},
		"/scopes":          {Scopes: many},
	} {
		_, err := app.Register(r, noon())
		wantPath(t, err, path)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	a := registered(t, app.Service)
	later := noon().Add(time.Minute)
	name, off, life := "Invoices", false, 15*time.Minute
	change := app.Change{
		Name: &name, Enabled: &off, AccessTTL: &life, RedirectURLs: []string{"https://a.example/cb"},
		GrantTypes: []app.GrantType{app.ClientCredentials, app.RefreshToken},
	}
	if err := a.Update(change, later); err != nil {
		t.Fatal(err)
	}
	s := a.Snapshot()
	if s.Name != name || s.Enabled || s.AccessTTL != life || len(s.RedirectURLs) != 1 || len(s.GrantTypes) != 2 || !s.UpdatedAt.Equal(later) {
		t.Errorf("after the update: %+v", s)
	}
	happened := a.Stored()
	if len(happened) != 1 {
		t.Fatalf("%d events, want 1", len(happened))
	}
	updated, ok := happened[0].(app.Updated)
	want := []string{"name", "redirect_urls", "grant_types", "enabled", "access_ttl_seconds"}
	if !ok || !slices.Equal(updated.Changed, want) || updated.Enabled {
		t.Errorf("event %+v, want changed %q", happened[0], want)
	}
	if err := a.Update(change, later.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := a.Update(app.Change{}, later.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	wantRaised(t, a)
	if !a.Snapshot().UpdatedAt.Equal(later) {
		t.Error("an update that changes nothing moved updated_at")
	}
}

func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	short, long, year := 59*time.Second, 24*time.Hour+time.Second, 366*24*time.Hour
	name := "Changed"
	for path, change := range map[string]app.Change{
		"/access_ttl_seconds": {Name: &name, AccessTTL: &short},
		"/refresh_ttl_days":   {Name: &name, RefreshTTL: &year},
		"/logout_urls/0":      {Name: &name, LogoutURLs: []string{"ftp://a.example"}},
		"/redirect_urls/0":    {Name: &name, RedirectURLs: []string{"com.example.app:/callback"}},
		"/grant_types":        {Name: &name, GrantTypes: []app.GrantType{app.ClientCredentials}},
	} {
		a := registered(t, app.SPA)
		wantPath(t, a.Update(change, noon()), path)
		if a.Snapshot().Name == name || a.Changed() {
			t.Errorf("%s: a refused update changed the app", path)
		}
	}
	a := registered(t, app.Service)
	wantPath(t, a.Update(app.Change{AccessTTL: &long}, noon()), "/access_ttl_seconds")
}

func TestTokenLife(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ own, asked, want time.Duration }{
		{0, 0, time.Hour},
		{0, time.Minute, time.Minute},
		{0, 24 * time.Hour, 24 * time.Hour},
		{0, 25 * time.Hour, 24 * time.Hour},
		{0, time.Second, time.Minute},
		{15 * time.Minute, 0, 15 * time.Minute},
		{15 * time.Minute, time.Hour, 15 * time.Minute},
		{15 * time.Minute, 5 * time.Minute, 5 * time.Minute},
	} {
		if got := (app.Snapshot{AccessTTL: c.own}).TokenLife(c.asked); got != c.want {
			t.Errorf("TokenLife of %v asked for %v = %v, want %v", c.own, c.asked, got, c.want)
		}
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	a := registered(t, app.Service)
	if err := a.Grant([]string{"b", "a"}, false, noon()); err != nil {
		t.Fatal(err)
	}
	if err := a.Grant([]string{"a", "c"}, false, noon()); err != nil {
		t.Fatal(err)
	}
	happened := a.Stored()
	if granted, ok := happened[1].(app.ScopesGranted); !ok || !slices.Equal(granted.Scopes, []string{"c"}) {
		t.Errorf("the second grant raised %+v, want c alone", happened[1])
	}
	if got := a.Snapshot(); !slices.Equal(got.Scopes, []string{"a", "b", "c"}) || got.Listed {
		t.Errorf("scopes %q, listed %t", got.Scopes, got.Listed)
	}
	before := a.Snapshot().Scopes
	take := func(scopes, free []string) {
		t.Helper()
		if err := a.Withdraw(scopes, free, noon()); err != nil {
			t.Fatal(err)
		}
	}
	take([]string{"c", "x", "a"}, nil)
	if got := a.Snapshot().Scopes; !slices.Equal(got, []string{"b"}) || !slices.Equal(before, []string{"a", "b", "c"}) {
		t.Errorf("scopes left %q; a snapshot taken before has %q", got, before)
	}
	wantRaised(t, a, app.KindScopesRevoked)
	take([]string{"x"}, nil)
	if err := a.Grant([]string{"b"}, false, noon()); err != nil {
		t.Fatal(err)
	}
	wantRaised(t, a)
	many := make([]string, 200)
	for i := range many {
		many[i] = strings.Repeat("x", i+1)
	}
	if err := a.Grant(many, false, noon()); !errors.Is(err, app.ErrScopes) {
		t.Errorf("201 scopes: %v, want ErrScopes", err)
	}
}

func TestSetKeys(t *testing.T) {
	t.Parallel()
	a := registered(t, app.Service)
	for _, c := range []struct{ jwks, uri, source string }{
		{`{"keys":[]}`, "", app.KeysGiven}, {"", "https://a.example/jwks", app.KeysFetched}, {"", "", app.KeysNone},
	} {
		for range 2 { // the same again raises nothing
			if err := a.SetKeys(c.jwks, c.uri, noon()); err != nil {
				t.Fatal(err)
			}
		}
		happened := a.Stored()
		if set, ok := happened[0].(app.KeysSet); len(happened) != 1 || !ok || set.Source != c.source {
			t.Errorf("raised %+v, want the source %s once", happened, c.source)
		}
	}
	public := registered(t, app.Native)
	if err := public.SetKeys(`{"keys":[]}`, "", noon()); !errors.Is(err, app.ErrPublic) {
		t.Errorf("keys of a public client: %v, want ErrPublic", err)
	}
	if err := public.SetKeys("", "", noon()); err != nil {
		t.Errorf("no keys of a public client: %v", err)
	}
}

func TestSetClaims(t *testing.T) {
	t.Parallel()
	a := registered(t, app.Service)
	for range 2 {
		if err := a.SetClaims(map[string]string{"plan": "'pro'", "https://example.com/x": "1"}, noon()); err != nil {
			t.Fatal(err)
		}
	}
	wantRaised(t, a, app.KindClaimsSet)
	if err := a.SetClaims(nil, noon()); err != nil || len(a.Snapshot().Claims) != 0 {
		t.Errorf("removing claims: %v, left %v", err, a.Snapshot().Claims)
	}
	wantRaised(t, a, app.KindClaimsSet)
	many := map[string]string{}
	for i := range 21 {
		many[strings.Repeat("x", i+1)] = "1"
	}
	wantPath(t, a.SetClaims(many, noon()), "/claims")
	for path, claims := range map[string]map[string]string{
		"/claims/sub":            {"sub": "1"},
		"/claims/SUB":            {"SUB": "1"},
		"/claims/cnf":            {"cnf": "1"},
		"/claims/email":          {"email": "1"},
		"/claims/Groups":         {"Groups": "['system:masters']"},
		"/claims/permissions":    {"permissions": "1"},
		"/claims/is_superadmin":  {"is_superadmin": "1"},
		"/claims/memberOf":       {"memberOf": "1"},
		"/claims/policy":         {"policy": "1"},
		"/claims/producerplmnid": {"producerplmnid": "1"},
		"/claims/realm_access":   {"realm_access": "1"},
		"/claims/cognito:groups": {"cognito:groups": "1"},

		"/claims/http:~1~1schemas.microsoft.com~1x": {"http://schemas.microsoft.com/x": "1"},
		"/claims/...":                        {"...": "1"},
		"/claims/1st":                        {"1st": "1"},
		"/claims/a$b":                        {"a$b": "1"},
		"/claims/" + strings.Repeat("n", 64): {strings.Repeat("n", 129): "1"},
		"/claims/":                           {"": "1"},
		"/claims/a b":                        {"a b": "1"},
		"/claims/plan":                       {"plan": ""},
		"/claims/long":                       {"long": strings.Repeat("1", 1025)},
	} {
		wantPath(t, a.SetClaims(claims, noon()), path)
	}
	wantRaised(t, a)
}

// What was set before it was refused stays out of tokens.
func TestTokenClaims(t *testing.T) {
	t.Parallel()
	stored := app.Snapshot{Claims: map[string]string{"plan": "1", "Groups": "1", "kubernetes.io": "1", "a:b": "1"}}
	carried, dropped := stored.TokenClaims()
	if !slices.Equal(carried, []string{"a:b", "plan"}) || !slices.Equal(dropped, []string{"Groups", "kubernetes.io"}) {
		t.Errorf("carried %q, dropped %q", carried, dropped)
	}
	for i := range 20 {
		stored.Claims[fmt.Sprintf("claim-%02d", i)] = "1"
	}
	carried, dropped = stored.TokenClaims()
	if len(carried) != 20 || !slices.Equal(dropped, []string{"Groups", "claim-19", "kubernetes.io", "plan"}) {
		t.Errorf("carried %q, dropped %q", carried, dropped)
	}
}

func TestDelete(t *testing.T) {
	t.Parallel()
	a := registered(t, app.Service)
	a.Delete()
	wantRaised(t, a, app.KindDeleted)
}

func TestParseID(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		string(appID): true, "": false, "billing": false, strings.ToUpper(string(appID)): false,
		string(appID) + "0": false, "org_01jd7x9k2mf3q8v5t0abcdefgh": false, string(appID) + "\n": false,
	} {
		if _, err := app.ParseID(text); (err == nil) != want {
			t.Errorf("ParseID(%q) = %v", text, err)
		}
	}
}
