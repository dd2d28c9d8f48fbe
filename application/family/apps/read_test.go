package apps_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func TestGetByIDOrSlug(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id, secret := register(alice, "billing", nil)
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
	alice.Do("APP.GET", P{"app_id": "billing"}).Fails(fault.Validation).Field("/app_id")
	alice.Do("APP.GET", P{"slug": "nobody"}).Fails(fault.NotFound)
}

func TestGetTellsTheLastUseOfASecret(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	register(alice, "billing", nil)
	secret, _ := alice.Do("APP.GET", P{"slug": "billing"}).List("secrets")[0]["secret_id"].(string)
	if err := h.Store.LastUses().Touch(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	if used := alice.Do("APP.GET", P{"slug": "billing"}).List("secrets")[0]["last_used_at"]; used == nil {
		t.Error("the use of the secret is not told")
	}
}

func TestEverythingStaysInItsWorkspace(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, root := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	id, _ := register(alice, "billing", nil)
	secret := alice.Do("APP.GET", P{"app_id": id}).List("secrets")[0]["secret_id"]
	for _, stranger := range []*harness.Actor{bob, root, key(h, bob, "*")} {
		for command, more := range map[string]P{
			"APP.GET": {}, "APP.DELETE": {}, "APP.ROTATE_KEY": {}, "APP.UPDATE": {"name": "Mine"}, "APP.SET_JWKS": {},
			"APP.SET_CLAIMS": {"claims": P{}}, "APP.SCOPE_GRANT": {"scopes": []string{"a"}}, "APP.SCOPE_REVOKE": {"scopes": []string{"a"}},
			"APP.SECRET_REVOKE": {"secret_id": secret}, "APP.PREVIEW_TOKEN": {},
		} {
			foreign, absent := P{"app_id": id}, P{"app_id": nobody}
			for name, value := range more {
				foreign[name], absent[name] = value, value
			}
			told, untold := stranger.Do(command, foreign).Fails(fault.NotFound), stranger.Do(command, absent).Fails(fault.NotFound)
			if told.Failure.Message != untold.Failure.Message {
				t.Errorf("%s: foreign is told as %q, absent as %q", command, told.Failure.Message, untold.Failure.Message)
			}
		}
		stranger.Do("APP.GET", P{"slug": "billing"}).Fails(fault.NotFound)
		if items := stranger.Do("APP.LIST", nil).List("items"); len(items) != 0 {
			t.Errorf("the list of another workspace has %v", items)
		}
	}
	alice.Do("APP.GET", P{"app_id": id}).OK()
}

func TestPermissionsOfTheFamily(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("owner@example.com")
	id, _ := register(owner, "billing", nil)
	plain := member(h, h.Superadmin(), owner.OrgID, "member@example.com", "member")
	reader, writer := key(h, owner, "apps:read"), key(h, owner, "apps:write")
	reads := map[string]P{"APP.GET": {"app_id": id}, "APP.LIST": {}, "APP.PREVIEW_TOKEN": {"app_id": id}}
	writes := map[string]P{
		"APP.UPDATE": {"app_id": id}, "APP.ROTATE_KEY": {"app_id": id}, "APP.SET_JWKS": {"app_id": id},
		"APP.SET_CLAIMS": {"app_id": id, "claims": P{}}, "APP.SCOPE_GRANT": {"app_id": id, "scopes": []string{"a"}},
		"APP.SCOPE_REVOKE": {"app_id": id, "scopes": []string{"a"}}, "APP.DELETE": {"app_id": nobody},
		"APP.SECRET_REVOKE": {"app_id": id, "secret_id": "sec_01jd7x9k2mf3q8v5t0abcdefgh"},
	}
	for command, params := range reads {
		h.Anonymous().Do(command, params).Fails(fault.Auth)
		plain.Do(command, params).Fails(fault.Denied)
		writer.Do(command, params).Fails(fault.Denied)
		reader.Do(command, params).OK()
	}
	for command, params := range writes {
		h.Anonymous().Do(command, params).Fails(fault.Auth)
		plain.Do(command, params).Fails(fault.Denied)
		reader.Do(command, params).Fails(fault.Denied)
		if answer := writer.Do(command, params); answer.Failure != nil && answer.Failure.Code != fault.NotFound {
			t.Errorf("%s by a key with apps:write: %v", command, answer.Failure)
		}
	}
}

func TestListNarrowsAndGoesByPages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	register(alice, "billing-worker", P{"name": "Night shift"})
	register(alice, "reports", P{"name": "BILLS", "type": "spa"})
	register(alice, "zed", P{"name": "Änderung", "type": "web"})
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
	alice.Do("APP.LIST", P{"query": ""}).Fails(fault.Validation).Field("/query")
	alice.Do("APP.LIST", P{"type": "machine"}).Fails(fault.Validation).Field("/type")
}
