package oauth_test

import (
	"reflect"
	"slices"
	"testing"

	"gatehouse.internal/domain/oauth"
)

// A login reaches the class of its best proof, and every one below.
func TestContexts(t *testing.T) {
	t.Parallel()
	one, two, phr := oauth.OneFactor, oauth.TwoFactors, oauth.PhishingResistant
	for _, c := range []struct {
		amr  []string
		want []string
	}{
		{nil, []string{one}},
		{[]string{"pwd"}, []string{one}},
		{[]string{"otp"}, []string{one}},
		{[]string{"pwd", "otp"}, []string{one}},
		{[]string{"pwd", "otp", "mfa"}, []string{one, two}},
		{[]string{"hwk"}, []string{one, two, phr}},
		{[]string{"swk", "pwd"}, []string{one, two, phr}},
		{[]string{"pwd", "mfa", "hwk"}, []string{one, two, phr}},
	} {
		if got := oauth.Reached(c.amr); !slices.Equal(got, c.want) {
			t.Errorf("Reached(%v) = %v, want %v", c.amr, got, c.want)
		}
		if got, want := oauth.ACROf(c.amr), c.want[len(c.want)-1]; got != want {
			t.Errorf("ACROf(%v) = %s, want %s", c.amr, got, want)
		}
	}
	for text, want := range map[string]bool{one: true, two: true, phr: true, "": false, "urn:gatehouse:acr:3": false} {
		if got := oauth.IsContext(text); got != want {
			t.Errorf("IsContext(%q) = %v, want %v", text, got, want)
		}
	}
}

// A claim is told by the scope that stands for it, and by no other.
func TestClaims(t *testing.T) {
	t.Parallel()
	c := oauth.Claims{UserInfo: []string{"email", "name", "roles"}, IDToken: []string{"picture", "sub"}}
	if got, want := c.Scopes(), []string{"", oauth.Email, oauth.Profile, oauth.Roles}; !slices.Equal(got, want) {
		t.Errorf("Scopes() = %q, want %q", got, want)
	}
	for _, one := range []struct {
		scopes []string
		want   oauth.Claims
	}{
		{nil, oauth.Claims{UserInfo: []string{}, IDToken: []string{}}},
		{[]string{oauth.Profile}, oauth.Claims{UserInfo: []string{"name"}, IDToken: []string{"picture"}}},
		{[]string{oauth.Email, oauth.Roles}, oauth.Claims{UserInfo: []string{"email", "roles"}, IDToken: []string{}}},
		{[]string{oauth.Groups, oauth.OpenID}, oauth.Claims{UserInfo: []string{}, IDToken: []string{}}},
	} {
		if got := c.Within(one.scopes); !slices.Equal(got.UserInfo, one.want.UserInfo) || !slices.Equal(got.IDToken, one.want.IDToken) {
			t.Errorf("Within(%v) = %+v, want %+v", one.scopes, got, one.want)
		}
	}
	if len(c.UserInfo) != 3 || len(c.IDToken) != 2 {
		t.Errorf("Within() changed the claims: got %+v", c)
	}
	for _, claims := range []oauth.Claims{{}, c} {
		if got := oauth.ReadClaims(claims.Text()); !reflect.DeepEqual(got, claims) {
			t.Errorf("ReadClaims(%q) = %+v, want %+v", claims.Text(), got, claims)
		}
	}
}

func TestTellPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		claims oauth.Claims
		scopes []string
		want   bool
	}{
		{oauth.Claims{}, nil, false},
		{oauth.Claims{}, []string{oauth.OpenID, oauth.Org, oauth.Profile}, false},
		{oauth.Claims{}, []string{oauth.Roles}, true},
		{oauth.Claims{}, []string{oauth.Groups}, true},
		{oauth.Claims{UserInfo: []string{"name", "org_id"}}, nil, false},
		{oauth.Claims{IDToken: []string{"groups"}}, nil, true},
		{oauth.Claims{UserInfo: []string{"roles"}}, []string{oauth.Profile}, true},
	} {
		if got := c.claims.TellPlace(c.scopes); got != c.want {
			t.Errorf("TellPlace() of %+v with %v = %v, want %v", c.claims, c.scopes, got, c.want)
		}
	}
}

func TestScopes(t *testing.T) {
	t.Parallel()
	for scope, want := range map[string]struct{ claim, supported bool }{
		oauth.OpenID: {true, true}, oauth.OfflineAccess: {true, true}, oauth.Groups: {true, true},
		oauth.Address: {true, false}, oauth.Phone: {true, false}, "users:read": {false, false}, "": {false, false},
	} {
		if got := oauth.IsClaimScope(scope); got != want.claim {
			t.Errorf("IsClaimScope(%q) = %v, want %v", scope, got, want.claim)
		}
		if got := slices.Contains(oauth.SupportedScopes(), scope); got != want.supported {
			t.Errorf("SupportedScopes() hold %q: got %v, want %v", scope, got, want.supported)
		}
	}
}

// The same name in two workspaces stays two, and whoever is no member has none.
func TestAffiliationWithin(t *testing.T) {
	t.Parallel()
	a := oauth.Affiliation{Org: "org_1", Roles: []string{"editor"}, Owned: true}
	want := oauth.Affiliation{Org: "org_1", Roles: []string{"acme/editor"}, Owned: true}
	if got := a.Within("acme"); !reflect.DeepEqual(got, want) {
		t.Errorf("Within() = %+v, want %+v", got, want)
	}
	if a.Roles[0] != "editor" {
		t.Errorf("Within() changed the affiliation: got %v", a.Roles)
	}
}
