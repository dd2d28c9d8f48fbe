package people_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

func TestUpdate(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := founded(h, "ada@example.com", "Engines")
	changed := ada.Do("TEAM.UPDATE", P{
		"name": "Looms", "logo_url": "https://example.com/logo.png", "default_role": "admin",
		"allowed_methods": []string{"password", "passkey"}, "metadata_json": P{"plan": "free", "seats": 3},
	}).OK()
	if changed.String("organization.name") != "Looms" || changed.String("organization.slug") != "engines" || changed.String("organization.default_role") != "admin" {
		t.Errorf("changed to %v", changed.Data)
	}
	ada.Do("TEAM.UPDATE", P{"metadata_json": P{"seats": nil}, "logo_url": "", "allowed_methods": []string{}}).OK()
	ada.Do("TEAM.UPDATE", P{"name": "Looms"}).OK()
	got := ada.Do("TEAM.GET", nil).OK()
	if got.String("organization.metadata_json.plan") != "free" || got.Has("organization.metadata_json.seats") || got.String("organization.logo_url") != "" ||
		len(got.List("organization.allowed_methods")) != 0 {
		t.Errorf("got %v", got.Data)
	}
	if n := len(h.Events(workspace.KindUpdated)); n != 2 {
		t.Errorf("%d updates are told, want 2", n)
	}
	for path, value := range map[string]any{
		"/logo_url": "http://example.com/x.png", "/name": " ", "/allowed_methods": []string{"magic"}, "/default_role": "nobody", "/metadata_json": P{"n": 1e17},
	} {
		if reply := ada.Do("TEAM.UPDATE", P{path[1:]: value}); reply.Failure == nil || reply.Failure.Code != fault.Validation {
			t.Errorf("%s = %v: %v", path, value, reply.Failure)
		}
	}
}

// Nobody makes a role the default which grants more than they hold, and how people enter
// is not changed by whoever finds an open browser.
func TestUpdateGivesNoMoreThanOneHolds(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada := h.Superadmin(), founded(h, "ada@example.com", "Engines")
	admin := teamMember(h, root, ada.OrgID, "admin@example.com", "admin")
	admin.Do("TEAM.UPDATE", P{"default_role": "owner"}).Fails(fault.Denied)
	admin.Do("TEAM.UPDATE", P{"default_role": "admin"}).OK()
	teamMember(h, root, ada.OrgID, "member@example.com", "member").Do("TEAM.UPDATE", P{"name": "Mine"}).Fails(fault.Denied)
	h.Clock.Advance(access.RecentFor + time.Second)
	old := h.With(ada.Do("AUTH.REFRESH", P{"refresh_token": ada.RefreshToken}).OK().String("access_token"))
	old.Do("TEAM.UPDATE", P{"allowed_methods": []string{}}).Fails(fault.Auth)
	old.Do("TEAM.UPDATE", P{"default_role": "member"}).Fails(fault.Auth)
}

// What an application keeps about a workspace is sealed like what it keeps about people.
func TestMetadataIsSealed(t *testing.T) {
	t.Parallel()
	h := harness.On(t, harness.SQLite(t), "ENCRYPTION_KEY=1:AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=")
	ada := founded(h, "ada@example.com", "Engines")
	ada.Do("TEAM.UPDATE", P{"metadata_json": P{"secret": "of the house"}}).OK()
	var stored int
	err := h.Store.Database().Read.GetContext(t.Context(), &stored, `SELECT COUNT(*) FROM workspaces WHERE metadata LIKE '%house%'`)
	if err != nil || stored != 0 {
		t.Errorf("%d rows in clear, %v", stored, err)
	}
	if got := ada.Do("TEAM.GET", nil).OK().String("organization.metadata_json.secret"); got != "of the house" {
		t.Errorf("read %q", got)
	}
}

// Nobody shuts themselves out of a workspace by the ways to sign in, and a superadmin gets in whatever they are.
func TestAllowedMethodsLeaveTheCallerIn(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		ada, root := founded(h, "ada@example.com", "Engines"), h.Superadmin()
		for name, methods := range map[string][]string{
			"a connection that does not exist": {"sso"}, "other ways": {"passkey", "social"}, "and single sign-on": {"passkey", "sso"},
		} {
			if at := ada.Do("TEAM.UPDATE", P{"allowed_methods": methods}).Fails(fault.Validation).Failure.Fields; len(at) != 1 || at[0].Path != "/allowed_methods" {
				t.Errorf("%s: %v", name, at)
			}
		}
		root.Do("TEAM.UPDATE", P{"org_id": ada.OrgID, "allowed_methods": []string{"sso"}}).Fails(fault.Validation)
		ada.Do("TEAM.UPDATE", P{"allowed_methods": []string{"password", "sso"}}).OK()
		root.Do("TEAM.UPDATE", P{"org_id": ada.OrgID, "allowed_methods": []string{"passkey"}}).OK()
		h.Anonymous().Do("AUTH.LOGIN", P{"email": "ada@example.com", "password": harness.Password, "org_id": ada.OrgID}).Fails(fault.Auth)
		root.Do("TEAM.UPDATE", P{"org_id": ada.OrgID, "allowed_methods": []string{}}).OK()
		teamEntered(h, "ada@example.com", ada.OrgID).Do("TEAM.GET", nil).OK()
	})
}
