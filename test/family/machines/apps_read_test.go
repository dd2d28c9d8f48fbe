package machines_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/test/harness"
)

func TestGetByIDOrSlug(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, secret := appRegister(alice, "billing", nil)
	for _, by := range []P{{"app_id": id}, {"slug": "billing"}} {
		got := alice.Do("APP.GET", by).OK()
		hints := got.List("secrets")
		if got.String("app.id") != id || len(hints) != 1 || hints[0]["prefix"] != secret[:12] {
			t.Errorf("by %v: %v", by, got.Data)
		}
		if hints[0]["expires_at"] != nil || hints[0]["last_used_at"] != nil || hints[0]["created_at"] != h.Clock.Now().Format(time.RFC3339Nano) {
			t.Errorf("the hint is %v", hints[0])
		}
	}
	for _, by := range []P{nil, {"app_id": id, "slug": "billing"}} {
		alice.Do("APP.GET", by).Fails(fault.Validation).Field("")
	}
	alice.Do("APP.GET", P{"slug": "nobody"}).Fails(fault.NotFound)
}

func TestGetTellsTheLastUseOfASecret(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	appRegister(alice, "billing", nil)
	secret, _ := alice.Do("APP.GET", P{"slug": "billing"}).List("secrets")[0]["secret_id"].(string)
	if err := h.Store.LastUses().Touch(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	if used := alice.Do("APP.GET", P{"slug": "billing"}).List("secrets")[0]["last_used_at"]; used == nil {
		t.Error("the use of the secret is not told")
	}
}

// An app is found by its slug and listed in its workspace alone, also where a key of a
// superadmin asks, which is bound to its own.
func TestSlugsAndListsStayInTheirWorkspace(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	appRegister(alice, "billing", nil)
	for _, stranger := range []*harness.Actor{bob, appKey(h, h.Superadmin(), "*"), appKey(h, bob, "*")} {
		stranger.Do("APP.GET", P{"slug": "billing"}).Fails(fault.NotFound)
		if items := stranger.Do("APP.LIST", nil).List("items"); len(items) != 0 {
			t.Errorf("the list of another workspace has %v", items)
		}
	}
}

func TestSuperadminReachesEveryApp(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, bob, root := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
		id, secret := appRegister(alice, "billing", nil)
		appRegister(bob, "reports", nil)
		appRegister(root, "own", nil)
		same(t, "apps", slugs(root.Do("APP.LIST", nil).List("items")), []string{"own", "reports", "billing"})
		same(t, "apps by name", slugs(root.Do("APP.LIST", P{"query": "bill"}).List("items")), []string{"billing"})
		page := root.Do("APP.LIST", P{"limit": 1}).String("next_cursor")
		same(t, "the next page", slugs(root.Do("APP.LIST", P{"cursor": page}).List("items")), []string{"reports", "billing"})
		if got := root.Do("APP.GET", P{"slug": "billing"}); got.String("app.id") != id || got.String("app.org_id") != alice.OrgID {
			t.Errorf("a superadmin gets %v", got.Data)
		}
		root.Do("APP.PREVIEW_TOKEN", P{"app_id": id}).OK()
		h.Anonymous().Do("M2M.TOKEN", P{"client_id": "billing", "client_secret": secret}).OK()
		ended := root.Do("APP.DELETE", P{"app_id": id}).OK()
		if ended.Int("tokens_revoked") != 1 {
			t.Errorf("deleted with %v", ended.Data)
		}
		wantEvent(t, h, app.KindDeleted, alice.OrgID, id)
		wantEvent(t, h, m2m.KindRevoked, alice.OrgID, id)
	})
}

func TestListNarrowsAndGoesByPages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	appRegister(alice, "billing-worker", P{"name": "Night shift"})
	appRegister(alice, "reports", P{"name": "BILLS", "type": "spa"})
	appRegister(alice, "zed", P{"name": "Änderung", "type": "web"})
	for name, c := range map[string]struct {
		params P
		want   []string
	}{
		"all, newest first": {nil, []string{"zed", "reports", "billing-worker"}},
		"name or slug":      {P{"query": "bill"}, []string{"reports", "billing-worker"}},
		"any case":          {P{"query": "NIGHT"}, []string{"billing-worker"}},
		"not ASCII":         {P{"query": "äNDER"}, []string{"zed"}},
		"type":              {P{"type": "spa"}, []string{"reports"}},
		"both":              {P{"type": "web", "query": "bill"}, []string{}},
	} {
		same(t, name, slugs(alice.Do("APP.LIST", c.params).List("items")), c.want)
	}
	page := alice.Do("APP.LIST", P{"limit": 2}).OK()
	same(t, "the first page", slugs(page.List("items")), []string{"zed", "reports"})
	cursor := page.String("next_cursor")
	last := alice.Do("APP.LIST", P{"limit": 2, "cursor": cursor})
	same(t, "the second page", slugs(last.List("items")), []string{"billing-worker"})
	if last.Data["next_cursor"] != nil {
		t.Error("the last page has a cursor")
	}
	alice.Do("APP.LIST", P{"type": "spa", "cursor": cursor}).Fails(fault.Validation).Field("/cursor")
	h.SignUp("bob@example.com").Do("APP.LIST", P{"cursor": cursor}).Fails(fault.Validation).Field("/cursor")
}
