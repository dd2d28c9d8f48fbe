package people_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/test/harness"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada := h.SignUp("ada@example.com")
	made := ada.Do("TEAM.CREATE", P{"name": "Analytical Engines", "metadata_json": P{"plan": "free"}}).OK()
	if got := made.String("organization.slug"); got != "analytical-engines" || made.Bool("organization.personal") || made.String("organization.default_role") != "member" ||
		made.String("organization.metadata_json.plan") != "free" || len(made.List("organization.allowed_methods")) != 0 || made.Bool("organization.disabled") {
		t.Errorf("made %v", made.Data)
	}
	if got := ada.Do("AUTH.WHOAMI", nil).String("org_id"); got != ada.OrgID {
		t.Errorf("the active workspace is %s now", got)
	}
	org := made.String("organization.id")
	recorded := h.Events(workspace.KindCreated)[0]
	if recorded.OrgID != org || recorded.UserID != ada.UserID || !strings.Contains(string(recorded.Data), "analytical-engines") {
		t.Errorf("told %+v %s", recorded, recorded.Data)
	}
	within := teamEntered(h, "ada@example.com", org)
	got := within.Do("TEAM.GET", nil).OK()
	if got.String("organization.id") != org || got.Int("member_count") != 1 || got.Int("limits.apps") != 100 || got.Int("limits.groups") != 1000 ||
		got.Data["roles"].([]any)[0] != "owner" {
		t.Errorf("got %v", got.Data)
	}
	key := ada.Do("API_KEY.CREATE", P{"name": "key", "scopes": access.Permissions{"*"}}).OK().String("key")
	h.With(key).Do("TEAM.CREATE", P{"name": "By a key"}).Fails(fault.Denied)
}

// A slug belongs to one workspace, and for 30 days more once it was given up.
func TestSlugs(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, grace := founded(h, "ada@example.com", "Engines"), h.SignUp("grace@example.com")
	again := grace.Do("TEAM.CREATE", P{"name": "engines!"}).OK()
	if slug := again.String("organization.slug"); !strings.HasPrefix(slug, "engines-") || len(slug) != len("engines-")+6 {
		t.Errorf("the slug of a namesake is %q", slug)
	}
	if slug := grace.Do("TEAM.CREATE", P{"name": "日本"}).OK().String("organization.slug"); !strings.HasPrefix(slug, "workspace-") {
		t.Errorf("the slug of a name without letters is %q", slug)
	}
	claim := P{"name": "Other", "slug": "engines"}
	grace.Do("TEAM.CREATE", claim).Fails(fault.Validation).Field("/slug")
	if got := ada.Do("TEAM.UPDATE", P{"slug": "looms"}).OK().String("organization.slug"); got != "looms" {
		t.Errorf("the slug is %q", got)
	}
	grace.Do("TEAM.CREATE", claim).Fails(fault.Validation).Field("/slug")
	if slug := grace.Do("TEAM.CREATE", P{"name": "Engines"}).OK().String("organization.slug"); slug == "engines" {
		t.Error("a reserved slug is derived")
	}
	ada.Do("TEAM.UPDATE", P{"slug": "engines"}).OK() // who gave it up may have it back
	ada.Do("TEAM.UPDATE", P{"slug": "mills"}).OK()
	h.Clock.Advance(workspace.SlugReserved - time.Second)
	grace = h.Login("grace@example.com", harness.Password)
	grace.Do("TEAM.CREATE", claim).Fails(fault.Validation).Field("/slug")
	h.Clock.Advance(time.Second)
	grace = h.Login("grace@example.com", harness.Password)
	grace.Do("TEAM.CREATE", claim).OK()
	for _, malformed := range []string{"a", "-a", "a-", "A1", "a_b", "", strings.Repeat("a", 49)} {
		grace.Do("TEAM.CREATE", P{"name": "Other", "slug": malformed}).Fails(fault.Validation).Field("/slug")
	}
}

// The slug of a personal workspace is reserved too, when it goes with the account.
func TestSlugOfADeletedAccount(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	ada, grace := h.SignUp("ada@example.com"), h.SignUp("grace@example.com")
	ada.Do("TEAM.UPDATE", P{"slug": "ada"}).OK()
	ada.Do("USER.DELETE", P{"password": harness.Password}).OK()
	grace.Do("TEAM.UPDATE", P{"slug": "ada"}).Fails(fault.Validation).Field("/slug")
}

func TestWhoMayCreate(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, ada := h.Superadmin(), h.SignUp("ada@example.com")
	root.Do("SETTINGS.SET", P{"values": P{"max_workspaces_per_user": 1}}).OK()
	ada.Do("TEAM.CREATE", P{"name": "One"}).OK()
	refusal := ada.Do("TEAM.CREATE", P{"name": "Two"}).Fails(fault.Validation).Failure
	if !strings.Contains(refusal.Message, "max_workspaces_per_user") {
		t.Errorf("refused by %q", refusal.Message)
	}
	root.Do("SETTINGS.SET", P{"values": P{"workspace_creation": "superadmin", "max_workspaces_per_user": 50}}).OK()
	ada.Do("TEAM.CREATE", P{"name": "Two"}).Fails(fault.Denied)
	root.Do("TEAM.CREATE", P{"name": "Two"}).OK()
}
