package operations_test

import (
	"fmt"
	"testing"

	"gatehouse.internal/domain/branding"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

const stranger = "org_01jd7x9k2mf3q8v5t0abcdefgh"

// wants fails the test unless a look has these values.
func wants(t *testing.T, got any, want harness.P) {
	t.Helper()
	for name, value := range want {
		if shown := got.(harness.P)[name]; fmt.Sprint(shown) != fmt.Sprint(value) {
			t.Errorf("%s = %v, want %v", name, shown, value)
		}
	}
}

func get(who *harness.Actor) harness.P { return who.Do("BRANDING.GET", nil).OK().Data }

func builtin() harness.P {
	return harness.P{
		"name": "Gatehouse", "logo_url": "", "support_email": "", "locale": "",
		"colors": harness.P{"primary": "#3a4fd0", "background": "#f5f6fa", "primary_dark": "#9db0ff", "background_dark": "#0e1019"},
	}
}

func TestBranding(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root, ada, bob, nobody := h.Superadmin(), h.SignUp("ada@example.com"), h.SignUp("bob@example.com"), h.Anonymous()
		for _, who := range []*harness.Actor{root, ada, nobody} {
			wants(t, get(who), builtin())
		}
		set := root.Do("BRANDING.SET", harness.P{
			"name": "Acme", "logo_url": "https://cdn.example.com/logo.png", "colors": harness.P{"primary": "#FFDD00"},
			"support_email": "Help@EXAMPLE.com", "locale": "de",
		}).OK().Data["branding"]
		acme := harness.P{
			"name": "Acme", "logo_url": "https://cdn.example.com/logo.png", "support_email": "Help@example.com", "locale": "de",
			"colors": harness.P{"primary": "#ffdd00", "background": "#f5f6fa", "primary_dark": "#ffdd00", "background_dark": "#0e1019"},
		}
		wants(t, set, acme)
		wants(t, get(nobody), acme)
		wants(t, get(ada), acme)

		own := ada.Do("BRANDING.SET", harness.P{"org_id": ada.OrgID, "name": "Ada & Co", "colors": harness.P{"background": "#ffffff"}}).OK()
		mixed := harness.P{
			"name": "Ada & Co", "logo_url": acme["logo_url"], "support_email": acme["support_email"],
			"colors": harness.P{"primary": "#3a4fd0", "background": "#ffffff", "primary_dark": "#9db0ff", "background_dark": "#0e1019"},
		}
		wants(t, own.Data["branding"], mixed)
		wants(t, get(ada), mixed)
		for _, who := range []*harness.Actor{bob, root, nobody} {
			wants(t, get(who), acme)
		}
		slug := ada.Do("TEAM.GET", harness.P{"org_id": ada.OrgID}).OK().String("organization.slug")
		for _, who := range []*harness.Actor{bob, root, nobody, ada} {
			wants(t, who.Do("BRANDING.GET", harness.P{"org_slug": slug}).OK().Data, mixed)
			wants(t, who.Do("BRANDING.GET", harness.P{"org_slug": "nowhere-at-all"}).OK().Data, acme)
		}
		root.Do("BRANDING.SET", harness.P{"org_id": ada.OrgID, "name": nil, "colors": nil}).OK()
		wants(t, get(ada), acme)
		root.Do("BRANDING.SET", harness.P{"name": nil, "logo_url": nil, "colors": nil, "support_email": nil, "locale": nil}).OK()
		wants(t, get(ada), builtin())

		events := h.Events(branding.KindUpdated)
		if len(events) != 4 || events[0].OrgID != "" || events[1].OrgID != ada.OrgID {
			t.Fatalf("events %+v", events)
		}
	})
}

func TestSameAgainIsNoChange(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	for range 2 {
		root.Do("BRANDING.SET", harness.P{"name": "Acme", "colors": harness.P{"primary": "#FFDD00"}, "locale": nil}).OK()
	}
	root.Do("BRANDING.SET", nil).OK()
	if events := h.Events(branding.KindUpdated); len(events) != 1 {
		t.Errorf("%d events, want 1", len(events))
	}
}

func TestWhoMaySet(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada := h.Superadmin(), h.SignUp("ada@example.com")
	ada.Do("BRANDING.SET", harness.P{"name": "Eve"}).Fails(fault.Denied)
	root.Do("BRANDING.SET", harness.P{"org_id": stranger, "name": "Eve"}).Fails(fault.NotFound)
	key := func(scope string) *harness.Actor {
		return h.With(ada.Do("API_KEY.CREATE", harness.P{"name": scope, "scopes": []string{scope}}).OK().String("key"))
	}
	writer := key("branding:write")
	writer.Do("BRANDING.SET", harness.P{"name": "Eve"}).Fails(fault.Denied)
	wants(t, get(ada), builtin())
	writer.Do("BRANDING.SET", harness.P{"org_id": ada.OrgID, "name": "Ada"}).OK()
	wants(t, get(writer), harness.P{"name": "Ada"})
	h.With("not a token").Do("BRANDING.GET", nil).Fails(fault.TokenInvalid)
}

func TestBrandingSetRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	for _, test := range []struct {
		field string
		value any
		path  string
	}{
		{"name", "", "/name"},
		{"name", "a\u202eb", "/name"},
		{"logo_url", "http://cdn.example.com/a.png", "/logo_url"},
		{"logo_url", "javascript:alert(1)", "/logo_url"},
		{"logo_url", "https://a.example;script-src-elem/", "/logo_url"},
		{"logo_url", "https://me:you@a.example/", "/logo_url"},
		{"colors", "red", "/colors"},
		{"colors", harness.P{"primary": "red"}, "/colors/primary"},
		{"colors", harness.P{"primary": "#fff;}*{"}, "/colors/primary"},
		{"colors", harness.P{"accent": "#ffffff"}, "/colors/accent"},
		{"support_email", "a@b@example.com", "/support_email"},
		{"support_email", "Help <help@example.com>", "/support_email"},
		{"locale", "not a language!", "/locale"},
		{"css", "*{}", "/css"},
	} {
		root.Do("BRANDING.SET", harness.P{test.field: test.value}).Fails(fault.Validation).Field(test.path)
	}
	wants(t, get(root), builtin())
}

// People who have something left to do see where they are.
func TestUnfinishedSee(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	ada.Do("BRANDING.SET", harness.P{"org_id": ada.OrgID, "name": "Ada"}).OK()
	h.Superadmin().Do("USER.SET_REQUIRED_ACTIONS", harness.P{"user_id": ada.UserID, "actions": []string{"change_password"}}).OK()
	again := h.Anonymous().Do("AUTH.LOGIN", harness.P{"email": "ada@example.com", "password": harness.Password}).OK()
	wants(t, get(h.With(again.String("challenge_token"))), harness.P{"name": "Ada"})
}
