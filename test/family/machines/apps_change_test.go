package machines_test

import (
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/test/harness"
)

func TestAppUpdateChangesWhatIsGiven(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, _ := appRegister(alice, "billing", P{"redirect_urls": []string{"https://a.example/cb"}, "description": "Old."})
	h.Clock.Advance(time.Minute)
	changed := alice.Do("APP.UPDATE", P{
		"app_id": id, "name": "Invoices", "enabled": false, "access_ttl_seconds": 900, "refresh_ttl_days": 30, "token_exchange": true,
		"redirect_urls": []string{}, "logout_urls": []string{"https://a.example/bye"}, "policy_url": "https://a.example/policy",
		"terms_url": "https://a.example/terms", "logo_url": "https://a.example/logo", "grant_types": []string{"client_credentials", "refresh_token"},
	}).OK()
	for name, want := range map[string]string{
		"app.name": "Invoices", "app.description": "Old.", "app.slug": "billing", "app.policy_url": "https://a.example/policy",
		"app.terms_url": "https://a.example/terms", "app.logo_url": "https://a.example/logo", "app.updated_at": h.Clock.Now().Format(time.RFC3339Nano),
	} {
		if changed.String(name) != want {
			t.Errorf("%s = %q, want %q", name, changed.String(name), want)
		}
	}
	same(t, "redirect_urls", changed.Strings("app.redirect_urls"), nil)
	same(t, "logout_urls", changed.Strings("app.logout_urls"), []string{"https://a.example/bye"})
	same(t, "grant_types", changed.Strings("app.grant_types"), []string{"client_credentials", "refresh_token"})
	if changed.Bool("app.enabled") || changed.Int("app.access_ttl_seconds") != 900 || changed.Int("app.refresh_ttl_days") != 30 || !changed.Bool("app.token_exchange") {
		t.Errorf("after the update: %v", changed.Data)
	}
	wantEvent(t, h, app.KindUpdated, alice.OrgID, id, `"enabled":false`, `"name","redirect_urls","logout_urls"`)
	back := alice.Do("APP.UPDATE", P{"app_id": id, "enabled": true, "access_ttl_seconds": 0, "logo_url": "", "description": ""}).OK()
	if !back.Bool("app.enabled") || back.Int("app.access_ttl_seconds") != 0 || back.String("app.logo_url")+back.String("app.description") != "" {
		t.Errorf("taken back: %v", back.Data)
	}
	alice.Do("APP.UPDATE", P{"app_id": id, "enabled": true}).OK()
	alice.Do("APP.UPDATE", P{"app_id": id}).OK()
	if events := h.Events(app.KindUpdated); len(events) != 2 {
		t.Errorf("%d events, want 2: what changes nothing is none", len(events))
	}
}

func TestAppUpdateRefuses(t *testing.T) {
	t.Parallel()
	alice := harness.New(t).SignUp("alice@example.com")
	id, _ := appRegister(alice, "billing", P{"type": "spa"})
	for path, params := range map[string]P{
		"/slug":               {"slug": "other"},
		"/type":               {"type": "web"},
		"/scopes":             {"scopes": []string{"*"}},
		"/name":               {"name": ""},
		"/access_ttl_seconds": {"access_ttl_seconds": 59},
		"/refresh_ttl_days":   {"refresh_ttl_days": 366},
		"/grant_types":        {"grant_types": []string{"client_credentials"}},
		"/redirect_urls/0":    {"redirect_urls": []string{"com.example.app:/cb"}},
		"/logout_urls/1":      {"logout_urls": []string{"https://a.example", "https://*.example"}},
		"/policy_url":         {"policy_url": "http://a.example"},
		"/terms_url":          {"terms_url": "javascript:alert(1)"},
	} {
		params["app_id"] = id
		alice.Do("APP.UPDATE", params).Fails(fault.Validation).Field(path)
	}
}

// A change that is lost because another one was made meanwhile is made again.
func TestParallelUpdatesAllCount(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		id, _ := appRegister(alice, "billing", nil)
		var calls []func() *harness.Reply
		for i := range 6 {
			calls = append(calls, func() *harness.Reply {
				return alice.Do("APP.SCOPE_GRANT", P{"app_id": id, "scopes": []string{fmt.Sprintf("scope-%d", i)}})
			})
		}
		for _, answer := range atOnce(calls...) {
			answer.OK()
		}
		if got := alice.Do("APP.GET", P{"app_id": id}).Strings("scopes"); len(got) != 6 {
			t.Errorf("scopes %q, want all six", got)
		}
	})
}

func TestDeleteEndsTheTokens(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		id, _ := appRegister(alice, "billing", nil)
		other, _ := appRegister(alice, "other", nil)
		ids := h.Engine.Access.IDs
		issue(t, h, id, ids.UUID(), time.Minute)
		h.Clock.Advance(time.Minute)
		for range 3 {
			issue(t, h, id, ids.UUID(), time.Hour)
		}
		issue(t, h, other, ids.UUID(), time.Hour)
		dry := alice.DryRun().Do("APP.DELETE", P{"app_id": id}).OK()
		same(t, "dry run: events", dry.Strings("dry_run.events"), []string{string(app.KindDeleted), string(m2m.KindRevoked)})
		gone := alice.Do("APP.DELETE", P{"app_id": id}).OK()
		if !gone.Bool("deleted") || gone.Int("tokens_revoked") != 3 || dry.Int("tokens_revoked") != 3 {
			t.Errorf("deleted: %v, dry run: %v, want 3 tokens revoked", gone.Data, dry.Data)
		}
		wantEvent(t, h, app.KindDeleted, alice.OrgID, id, `"slug":"billing"`)
		wantEvent(t, h, m2m.KindRevoked, alice.OrgID, id, `"count":3`)
		alice.Do("APP.GET", P{"app_id": id}).Fails(fault.NotFound)
		alice.Do("APP.DELETE", P{"app_id": id}).Fails(fault.NotFound)
		if left := slugs(alice.Do("APP.LIST", nil).List("items")); len(left) != 1 || left[0] != "other" {
			t.Errorf("left: %q", left)
		}
	})
}

func TestDeleteWithoutTokensIsOneEvent(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, _ := appRegister(alice, "billing", nil)
	if gone := alice.Do("APP.DELETE", P{"app_id": id}); gone.Int("tokens_revoked") != 0 {
		t.Errorf("deleted: %v", gone.Data)
	}
	if events := h.Events(m2m.KindRevoked); len(events) != 0 {
		t.Errorf("%d events %s, want none", len(events), m2m.KindRevoked)
	}
}

func TestDeletedOnce(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp("alice@example.com")
		id, _ := appRegister(alice, "billing", nil)
		remove := func() *harness.Reply { return alice.Do("APP.DELETE", P{"app_id": id}) }
		change := func() *harness.Reply { return alice.Do("APP.UPDATE", P{"app_id": id, "name": "Late"}) }
		deleted := 0
		for i, answer := range atOnce(remove, change, remove, change, remove, change) {
			if answer.Failure != nil {
				answer.Fails(fault.NotFound)
			} else if i%2 == 0 {
				deleted++
			}
		}
		if deleted != 1 || len(h.Events(app.KindDeleted)) != 1 {
			t.Errorf("deleted %d times, %d events", deleted, len(h.Events(app.KindDeleted)))
		}
		alice.Do("APP.GET", P{"app_id": id}).Fails(fault.NotFound)
	})
}
