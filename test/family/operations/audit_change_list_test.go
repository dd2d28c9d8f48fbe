package operations_test

import (
	"fmt"
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// P keeps parameters short.
type P = harness.P

func changes(by *harness.Actor, params P) []P {
	return by.Do("AUDIT.CHANGE_LIST", params).OK().List("items")
}

// A change shows what an object was before and after, from its making to its end.
func TestChangesOfAnObject(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
		made := alice.Do("APP.REGISTER", P{"name": "Shop", "slug": "shop"}).OK()
		id := made.String("app.id")
		alice.Do("APP.UPDATE", P{"app_id": id, "name": "Market"}).OK()
		alice.Do("APP.ROTATE_KEY", P{"app_id": id}).OK()
		alice.Do("APP.DELETE", P{"app_id": id}).OK()
		all := changes(alice, P{"resource_type": "app", "resource_id": id})
		if len(all) != 4 {
			t.Fatalf("%d changes: %v", len(all), all)
		}
		gone, renamed, born := all[0], all[2], all[3]
		if gone["after"] != nil || gone["command"] != "APP.DELETE" || gone["before"].(P)["name"] != "Market" {
			t.Errorf("the end is %v", gone)
		}
		if born["before"] != nil || born["after"].(P)["slug"] != "shop" {
			t.Errorf("the beginning is %v", born)
		}
		if renamed["before"].(P)["name"] != "Shop" || renamed["after"].(P)["name"] != "Market" || renamed["actor"].(P)["id"] != alice.UserID {
			t.Errorf("the new name is %v", renamed)
		}
		if text := fmt.Sprint(all); strings.Contains(text, made.String("api_key")) || strings.Contains(text, "digest") {
			t.Errorf("the changes show a secret: %s", text)
		}
		if others := changes(bob, P{"resource_type": "app"}); len(others) != 0 {
			t.Errorf("another workspace sees %v", others)
		}
		if found := changes(h.Superadmin(), P{"resource_type": "app", "actor_id": alice.UserID}); len(found) != 4 {
			t.Errorf("a superadmin sees %v", found)
		}
		page := alice.Do("AUDIT.CHANGE_LIST", P{"resource_type": "app", "limit": 3}).OK()
		if rest := changes(alice, P{"resource_type": "app", "cursor": page.String("next_cursor")}); len(rest) != 1 || rest[0]["before"] != nil {
			t.Errorf("the second page is %v", rest)
		}
	})
}

// Whatever configures the instance or a workspace tells its changes, without its secrets.
func TestChangesOfAllKinds(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		root := h.Superadmin()
		root.Do("SETTINGS.SET", P{"values": P{"access_token_seconds": 600}}).OK()
		root.Do("SETTINGS.SET", P{"values": P{"access_token_seconds": 700}}).OK()
		root.Do("POLICY.SET", P{"kind": "password", "values": P{"min_length": 14}}).OK()
		root.Do("RATE_LIMIT.SET", P{"command": "AUTH.LOGIN", "limit": 20, "window_seconds": 60}).OK()
		root.Do("RATE_LIMIT.RESET", nil).OK()
		root.Do("EMAIL.TEMPLATE_SET", P{"template": "password_reset", "subject": "Anew", "html": "<p><a href='{{.link}}'>Go on</a></p>"}).OK()
		root.Do("EMAIL.TEMPLATE_RESET", P{"template": "password_reset"}).OK()
		root.Do("BRANDING.SET", P{"name": "Acme"}).OK()
		root.Do("ROLE.CREATE", P{"name": "editor", "permissions": []string{"apps:read"}}).OK()
		root.Do("TEAM.UPDATE", P{"org_id": root.OrgID, "name": "Acme"}).OK()
		root.Do("SOCIAL.PROVIDER_SET", P{"provider": "github", "client_id": "id", "client_secret": "hidden-secret"})
		hook := root.Do("WEBHOOK.CREATE", P{"url": "https://93.184.215.14/hook", "headers": P{"X-Key": "hidden-header"}}).OK()
		root.Do("WEBHOOK.ROTATE_SECRET", P{"webhook_id": hook.String("webhook.id")}).OK()
		root.Do("FEATURE.CREATE", P{"key": "pdf", "type": "bool", "default": false}).OK()
		root.Do("FEATURE.UPDATE", P{"key": "pdf", "rules": []P{{"value": true, "when": "true"}}}).OK()
		root.Do("PRODUCT.CREATE", P{"name": "Editor", "slug": "editor"}).OK()
		root.Do("BILLING.PRICE_CREATE", P{"product_id": "editor", "currency": "EUR", "unit_amount": 900}).OK()
		root.Do("BILLING.COUPON_CREATE", P{"code": "SPRING", "percent_off": 10}).OK()
		for resource, want := range map[string]struct {
			n             int
			before, after string
		}{
			"settings": {2, "map[access_token_seconds:600]", "map[access_token_seconds:700]"},
			"policy":   {1, "<nil>", "map[min_length:14]"}, "rate_limit": {2, "limit:20", "limit:10"}, "email_template": {2, "subject:Anew", "<nil>"}, "branding": {1, "map[]", "name:Acme"},
			"role": {1, "<nil>", "permissions:[apps:read]"}, "team": {2, "name:", "name:Acme"}, "webhook": {2, "url:https://93.184.215.14/hook", "enabled:true"},
			"feature": {2, "rules:<nil>", "value:true"}, "price": {1, "<nil>", "unit:map[currency:EUR minor:900]"}, "coupon": {1, "<nil>", "percent_off:10"},
		} {
			found := changes(root, P{"resource_type": resource})
			if len(found) != want.n {
				t.Errorf("%s: %d changes, want %d: %v", resource, len(found), want.n, found)
				continue
			}
			if before, after := fmt.Sprint(found[0]["before"]), fmt.Sprint(found[0]["after"]); !strings.Contains(before, want.before) || !strings.Contains(after, want.after) {
				t.Errorf("%s: from %s to %s", resource, before, after)
			}
			if text := fmt.Sprint(found); strings.Contains(text, "hidden-") || strings.Contains(text, "whsec") {
				t.Errorf("%s shows a secret: %s", resource, text)
			}
		}
		root.Do("AUDIT.CHANGE_LIST", P{"resource_type": "role", "from": "2026-02-01T00:00:00Z", "to": "2026-01-01T00:00:00Z"}).Fails(fault.Validation)
	})
}

// A workspace exports its own log, as long as who asked may read it.
func TestExport(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
		bob.Do("APP.REGISTER", P{"name": "Other", "slug": "other"}).OK()
		_, app := machine(h, alice, "shop", "audit:write")
		app.Do("AUDIT.RECORD", P{"action": "paid", "actor": P{"id": "1"}}).OK()
		span := P{"from": h.Clock.Now().AddDate(0, 0, -1), "to": h.Clock.Now().AddDate(0, 0, 1)}
		with := func(more P) P {
			all := P{}
			for _, from := range []P{span, more} {
				for name, value := range from {
					all[name] = value
				}
			}
			return all
		}
		started := alice.Do("AUDIT.EXPORT", with(nil)).OK().String("job_id")
		table := alice.Do("AUDIT.EXPORT", with(P{"format": "csv", "filter": P{"type": "audit.recorded"}})).OK().String("job_id")
		h.RunJobs()
		job := alice.Do("JOB.GET", P{"job_id": started}).OK()
		rows := alice.Do("JOB.RESULT_GET", P{"job_id": started}).OK().List("items")
		if job.String("job.status") != "succeeded" || len(rows) == 0 || len(rows) != job.Int("job.done") {
			t.Fatalf("%d rows of %v", len(rows), job.Data)
		}
		for _, row := range rows {
			if row["org_id"] != alice.OrgID {
				t.Errorf("an event of another workspace: %v", row)
			}
		}
		lines := alice.Do("JOB.RESULT_GET", P{"job_id": table}).OK().Data["items"].([]any)
		if len(lines) != 2 || !strings.HasPrefix(fmt.Sprint(lines[0]), "id,type,") || !strings.Contains(fmt.Sprint(lines[1]), "audit.recorded") {
			t.Errorf("lines %v", lines)
		}
		if events := h.Events("audit.exported"); len(events) != 2 || events[0].OrgID != alice.OrgID {
			t.Errorf("told %v", events)
		}
		bob.Do("JOB.RESULT_GET", P{"job_id": started}).Fails(fault.NotFound)
		bob.Do("AUDIT.EXPORT", P{"from": span["to"], "to": span["from"]}).Fails(fault.Validation)
		lost := alice.Do("AUDIT.EXPORT", with(nil)).OK().String("job_id")
		h.Superadmin().Do("USER.DISABLE", P{"user_id": alice.UserID}).OK()
		h.RunJobs()
		if ended := h.Superadmin().Do("JOB.GET", P{"job_id": lost}).OK(); ended.String("job.status") != "failed" {
			t.Errorf("without its maker: %v", ended.Data)
		}
	})
}
