package machines_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/test/harness"
)

func TestAppRegister(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	made := alice.Do("APP.REGISTER", P{
		"name": "Billing", "slug": "billing-worker", "description": "Sends invoices.", "type": "web", "logo_url": "https://a.example/logo.png",
		"redirect_urls": []string{"https://a.example/cb", "http://localhost:3000/cb"}, "scopes": []string{"invoices:read", "apps:read"},
	}).OK()
	secret := made.String("api_key")
	if !keytext.Valid(keytext.AppSecret, secret) {
		t.Errorf("api_key has the wrong format: %d characters", len(secret))
	}
	id := made.String("app.id")
	if _, err := app.ParseID(id); err != nil || made.String("app.slug") != "billing-worker" {
		t.Errorf("app is %v", made.Data["app"])
	}
	got := alice.Do("APP.GET", P{"app_id": id}).OK()
	for name, want := range map[string]string{
		"app.id": id, "app.org_id": alice.OrgID, "app.name": "Billing", "app.slug": "billing-worker", "app.description": "Sends invoices.",
		"app.type": "web", "app.logo_url": "https://a.example/logo.png", "app.policy_url": "", "app.jwks_uri": "",
	} {
		if got.String(name) != want {
			t.Errorf("%s = %q, want %q", name, got.String(name), want)
		}
	}
	same(t, "redirect_urls", got.Strings("app.redirect_urls"), []string{"https://a.example/cb", "http://localhost:3000/cb"})
	same(t, "grant_types", got.Strings("app.grant_types"), []string{"authorization_code", "refresh_token"})
	same(t, "scopes", got.Strings("scopes"), []string{"apps:read", "invoices:read"})
	if !got.Bool("app.enabled") || !got.Bool("app.scopes_listed") || got.Bool("app.token_exchange") || got.Has("app.jwks") {
		t.Errorf("a new app is %v", got.Data["app"])
	}
	wantEvent(t, h, app.KindRegistered, alice.OrgID, id, `"slug":"billing-worker"`, `"type":"web"`, `"scopes":["apps:read","invoices:read"]`)
	for _, e := range h.Events("") {
		if strings.Contains(string(e.Data), secret[8:]) || strings.Contains(string(e.Data), keytext.Digest(secret)) {
			t.Errorf("%s holds the secret", e.Kind)
		}
	}
}

func TestRegisterDefaults(t *testing.T) {
	t.Parallel()
	alice := harness.New(t).SignUp("alice@example.com")
	for kind, want := range map[string]struct {
		secret bool
		grants []string
	}{
		"":        {true, []string{"client_credentials"}},
		"service": {true, []string{"client_credentials"}},
		"web":     {true, []string{"authorization_code", "refresh_token"}},
		"spa":     {false, []string{"authorization_code", "refresh_token"}},
		"native":  {false, []string{"authorization_code", "refresh_token"}},
	} {
		more := P{"type": kind}
		if kind == "" {
			more = nil
		}
		id, secret := appRegister(alice, "app-of-type-"+kind+"0", more)
		got := alice.Do("APP.GET", P{"app_id": id}).OK()
		same(t, kind, got.Strings("app.grant_types"), want.grants)
		if (secret != "") != want.secret || (len(got.List("secrets")) == 1) != want.secret {
			t.Errorf("%q: the secret is %q, want one: %t", kind, secret, want.secret)
		}
		if got.Bool("app.scopes_listed") {
			t.Errorf("%q: scopes_listed without a list", kind)
		}
	}
	id, _ := appRegister(alice, "listed", P{"scopes": []string{}})
	if got := alice.Do("APP.GET", P{"app_id": id}); !got.Bool("app.scopes_listed") || len(got.Strings("scopes")) != 0 {
		t.Error("an empty list of scopes is not taken for a list")
	}
}

func TestRegisterRefusesBadValues(t *testing.T) {
	t.Parallel()
	alice := harness.New(t).SignUp("alice@example.com")
	for field, values := range map[string][]any{
		"slug": {"", "a", "-ab", "ab-", "Ab", "a_b", "a b", "a.b", "ä-b", strings.Repeat("a", 64), "ab\n", nil},
		"name": {"", strings.Repeat("n", 201), "a\u0000b", "a\nb", nil},
		"description": {
			strings.Repeat("n", 1001), "a\u0007b",
		},
		"type":     {"", "machine", "SERVICE"},
		"logo_url": {"http://a.example/l.png", "//a.example", "https://u:p@a.example/", "javascript:alert(1)"},
		"redirect_urls": {
			"https://a.example", []string{"https://a.example", "https://a.example"},
		},
		"grant_types": {[]string{}, []string{"client_credentials", "client_credentials"}},
		"scopes":      {[]string{"a", "a"}},
	} {
		for _, value := range values {
			params := P{"name": "Billing", "slug": "billing"}
			params[field] = value
			alice.Do("APP.REGISTER", params).Fails(fault.Validation).Field("/" + field)
		}
	}
	for path, params := range map[string]P{
		"/redirect_urls/0": {"redirect_urls": []string{"http://a.example/cb"}},
		"/redirect_urls/1": {"redirect_urls": []string{"https://a.example/cb", "com.example.app:/cb"}},
		"/grant_types":     {"type": "spa", "grant_types": []string{"client_credentials"}},
		"/grant_types/0":   {"grant_types": []string{"password"}},
		"/scopes/0":        {"scopes": []string{"two words"}},
		"/scopes/1":        {"scopes": []string{"ok", strings.Repeat("s", 129)}},
		"/scopes/2":        {"scopes": []string{"ok", "fine", `quo"te`}},
		"/api_key":         {"api_key": "sk_live_mine"},
	} {
		params["name"], params["slug"] = "Billing", "billing"
		alice.Do("APP.REGISTER", params).Fails(fault.Validation).Field(path)
	}
	if left := alice.Do("APP.LIST", nil).List("items"); len(left) != 0 {
		t.Errorf("refused apps were stored: %v", left)
	}
}

func TestASlugIsTakenOverTheInstance(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	id, first := appRegister(alice, "billing", nil)
	for _, who := range []*harness.Actor{alice, bob} {
		who.Do("APP.REGISTER", P{"name": "Other", "slug": "billing"}).Fails(fault.Validation).Field("/slug")
	}
	alice.Do("APP.DELETE", P{"app_id": id}).OK()
	refused := bob.Do("APP.REGISTER", P{"name": "Other", "slug": "billing"}).Fails(fault.Validation).Field("/slug")
	h.Superadmin().Do("APP.REGISTER", P{"name": "Other", "slug": "billing"}).Fails(fault.Validation)
	if !strings.Contains(refused.Failure.Message, "is or was the slug") {
		t.Errorf("refused with %q", refused.Failure.Message)
	}
	again, second := appRegister(alice, "billing", nil)
	if again == id || first == second {
		t.Error("a slug taken again brought the old app back")
	}
	bob.Do("APP.REGISTER", P{"name": "Login", "slug": "gatehouse"}).Fails(fault.Validation).Field("/slug")
}

// The slug of an account that is gone names nobody else either.
func TestASlugOutlivesItsWorkspace(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
		appRegister(alice, "billing", nil)
		h.Superadmin().Do("USER.DELETE", P{"user_id": alice.UserID}).OK()
		bob.Do("APP.REGISTER", P{"name": "Other", "slug": "billing"}).Fails(fault.Validation).Field("/slug")
	})
}

func TestOnlyOneOfManyGetsASlug(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
		calls := []func() *harness.Reply{}
		for range 4 {
			for _, who := range []*harness.Actor{alice, bob} {
				calls = append(calls, func() *harness.Reply { return who.Do("APP.REGISTER", P{"name": "Billing", "slug": "billing"}) })
			}
		}
		made := 0
		for _, answer := range atOnce(calls...) {
			if answer.Failure == nil {
				made++
				continue
			}
			answer.Fails(fault.Validation).Field("/slug")
		}
		if made != 1 {
			t.Errorf("%d apps of one slug", made)
		}
	})
}

func TestRegisterGrantsNothingBeyondTheCaller(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner, root := h.SignUp("owner@example.com"), h.Superadmin()
	admin := member(h, root, owner.OrgID, "admin@example.com", "admin")
	tries := 0
	try := func(a *harness.Actor, scope string) *harness.Reply {
		tries++
		return a.Do("APP.REGISTER", P{"name": "Billing", "slug": "billing-" + strings.Repeat("x", tries), "scopes": []string{"invoices:read", scope}})
	}
	for scope, who := range map[string]*harness.Actor{
		"billing:write": admin, "*": admin, "*:read": admin, "apps:*": admin, "users:manage": owner, "sessions:manage": admin,
	} {
		refused := try(who, scope).Fails(fault.Denied)
		if !strings.Contains(refused.Failure.Message, " "+scope+",") {
			t.Errorf("%s is refused with %q", scope, refused.Failure.Message)
		}
	}
	for scope, who := range map[string]*harness.Actor{
		"apps:write": admin, "*": owner, "billing:*": owner, "users:manage": root, "teams:delete": root, "anything:else": admin, "openid": admin,
	} {
		if answer := try(who, scope); answer.Failure != nil {
			t.Errorf("%s is refused: %v", scope, answer.Failure)
		}
	}
	// A key gives no more than its share.
	held := appKey(h, owner, "apps:write", "users:read")
	try(held, "users:read").OK()
	try(held, "users:*").Fails(fault.Denied)
	try(appKey(h, owner, "*"), "webhooks:write").OK()
}
