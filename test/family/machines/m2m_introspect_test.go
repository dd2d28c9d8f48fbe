package machines_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestM2MIntrospect(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", P{"scopes": []string{"apps:read", "invoices:send"}})
	made := m.token(nil)
	got := introspect(h, made.String("access_token"))
	now := int(h.Clock.Now().Unix())
	want := P{
		"active": true, "sub": "worker", "azp": "worker", "scope": "apps:read invoices:send", "aud": harness.Issuer, "iss": harness.Issuer,
		"exp": float64(now + 3600), "iat": float64(now), "jti": made.String("jti"), "client_name": "Worker worker", "token_type": "Bearer",
	}
	if len(got.Data) != len(want) {
		t.Errorf("introspection %v, want %v", got.Data, want)
	}
	for name, value := range want {
		if got.Data[name] != value {
			t.Errorf("%s = %v, want %v", name, got.Data[name], value)
		}
	}
}

// A good token has its scopes told, also when it has none (specification section
// 2.8); of one that is not good nothing is told but why.
func TestIntrospectTellsThatThereIsNoScope(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", nil)
	if scope, present := introspect(h, m.token(nil).String("access_token")).Data["scope"]; scope != "" || !present {
		t.Errorf("scope = %v, %v, want an empty text", scope, present)
	}
	if scope, present := introspect(h, "garbage").Data["scope"]; present {
		t.Errorf("scope = %v of a token that is not good", scope)
	}
}

func TestIntrospectTellsWhy(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("ada@example.com")
	m := m2mRegister(h, owner, "worker", nil)
	text := m.token(P{"ttl_seconds": 60}).String("access_token")
	parts := strings.Split(text, ".")
	person := h.Login("ada@example.com", harness.Password)
	key := owner.Do("API_KEY.CREATE", P{"name": "key", "scopes": []string{}}).String("key")
	for name, test := range map[string]struct{ text, want string }{
		"a user's access token": {person.AccessToken, "not_m2m"},
		"a refresh token":       {person.RefreshToken, "not_m2m"},
		"an API key":            {key, "not_m2m"},
		"an app's secret":       {m.secret, "not_m2m"},
		"garbage":               {"garbage", "token_invalid"},
		"a forged signature":    {parts[0] + "." + parts[1] + "." + strings.Repeat("A", len(parts[2])), "token_invalid"},
		"no signature":          {parts[0] + "." + parts[1] + ".", "token_invalid"},
		"a longer one":          {text + "A", "token_invalid"},
		"another algorithm":     {"eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0Iiwia2lkIjoiYSJ9." + parts[1] + ".", "token_invalid"},
		"a long text":           {strings.Repeat("a", 16384), "token_invalid"},
	} {
		t.Run(name, func(t *testing.T) { wantInactive(t, h, test.text, test.want) })
	}
	h.Clock.Advance(59 * time.Second)
	if !introspect(h, text).Bool("active") {
		t.Error("a token is not active a second before it expires")
	}
	h.Clock.Advance(time.Second)
	wantInactive(t, h, text, "token_expired")
	m.change("APP.DELETE", nil)
	wantInactive(t, h, text, "token_expired")
	h.Clock.Advance(time.Hour)
	wantInactive(t, h, person.AccessToken, "not_m2m")
}

// Whatever is done to a token or its app shows at once, also to the commands.
func TestIntrospectSeesChangesAtOnce(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		change func(h *harness.Service, m *m2mMachine, jti string)
		scope  string // of the token afterwards; it has ended when empty
	}{
		"nothing": {func(*harness.Service, *m2mMachine, string) {}, "apps:read audit:* invoices:send"},
		"a scope was taken back": {func(_ *harness.Service, m *m2mMachine, _ string) {
			m.change("APP.SCOPE_REVOKE", P{"scopes": []string{"audit:*", "invoices:send"}})
		}, "apps:read"},
		"a secret was rotated": {func(_ *harness.Service, m *m2mMachine, _ string) { m.change("APP.ROTATE_KEY", nil) }, "apps:read audit:* invoices:send"},
		"the app was disabled": {func(_ *harness.Service, m *m2mMachine, _ string) { m.change("APP.UPDATE", P{"enabled": false}) }, ""},
		"the app was deleted":  {func(_ *harness.Service, m *m2mMachine, _ string) { m.change("APP.DELETE", nil) }, ""},
		"the slug was taken again": {func(h *harness.Service, m *m2mMachine, _ string) {
			m.change("APP.DELETE", nil)
			m2mRegister(h, m.owner, "worker", nil)
		}, ""},
		"the token was revoked": {func(h *harness.Service, _ *m2mMachine, jti string) {
			h.Superadmin().Do("M2M.REVOKE", P{"jti": jti}).OK()
		}, ""},
		"all were revoked": {func(_ *harness.Service, m *m2mMachine, _ string) { m.change("M2M.BULK_REVOKE", nil) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", P{"scopes": []string{"apps:read", "audit:*", "invoices:send"}})
			made := m.token(nil)
			text := made.String("access_token")
			test.change(h, m, made.String("jti"))
			if test.scope == "" {
				wantInactive(t, h, text, "token_revoked")
				h.With(text).Do("APP.LIST", nil).Fails(fault.Auth)
				return
			}
			if got := introspect(h, text).String("scope"); got != test.scope {
				t.Errorf("scope %q, want %q", got, test.scope)
			}
			h.With(text).Do("APP.LIST", nil).OK()
		})
	}
}

// A key that signs no more leaves no token that is good, and one that another
// replica made is found.
func TestIntrospectFollowsTheKeys(t *testing.T) {
	t.Parallel()
	database := harness.SQLite(t)
	h, replica := harness.On(t, database), harness.On(t, database)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", P{"scopes": []string{"apps:read"}})
	old := m.token(nil).String("access_token")
	root := h.Superadmin()
	root.Do("JWT_KEY.ROTATE", P{"overlap_hours": 1}).OK()
	root.Do("JWT_KEY.ROTATE", P{"overlap_hours": 1}).OK()
	made := m.token(nil).String("access_token")
	for _, text := range []string{made, old} {
		if !introspect(replica, text).Bool("active") {
			t.Error("the other replica does not know a key")
		}
	}
	h.Clock.Advance(2 * time.Hour)
	fresh := m.token(nil).String("access_token")
	h.With(fresh).Do("APP.LIST", nil).OK()
	wantInactive(t, h, old, "token_invalid")
}
