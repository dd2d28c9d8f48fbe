package machines_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

func jtis(r *harness.Reply) []string {
	found := []string{}
	for _, item := range r.List("items") {
		found = append(found, item["jti"].(string))
	}
	return found
}

func TestList(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner, stranger := h.SignUp("ada@example.com"), h.SignUp("eve@example.com")
	one, two := m2mRegister(h, owner, "one", nil), m2mRegister(h, owner, "two", P{"scopes": []string{"apps:read"}})
	far := m2mRegister(h, stranger, "far", nil)
	far.token(nil)
	var all []string
	for i := range 5 {
		m := []*m2mMachine{one, two}[i%2]
		h.Clock.Advance(time.Second)
		all = append([]string{m.token(P{"ttl_seconds": 60 * (i + 1), "audience": "https://api.example.com"}).String("jti")}, all...)
	}
	want := func(what string, got *harness.Reply, wanted ...string) {
		t.Helper()
		if !slices.Equal(jtis(got), append([]string{}, wanted...)) {
			t.Errorf("%s: %v, want %v", what, jtis(got), wanted)
		}
	}
	list := func(params P) *harness.Reply { return owner.Do("M2M.LIST", params).OK() }
	want("all", list(nil), all...)
	want("of an app", list(P{"app_id": two.id}), all[1], all[3])
	want("of a foreign app", list(P{"app_id": far.id}))
	item := list(P{"app_id": two.id, "limit": 1}).List("items")[0]
	issuedAt := h.Clock.Now().Add(-time.Second)
	for name, value := range map[string]any{
		"jti": all[1], "app_id": two.id, "scope": "apps:read", "audience": "https://api.example.com", "dpop": false, "active": true,
		"issued_at": issuedAt.Format(time.RFC3339Nano), "expires_at": issuedAt.Truncate(time.Second).Add(4 * time.Minute).Format(time.RFC3339Nano),
	} {
		if item[name] != value {
			t.Errorf("%s = %v, want %v", name, item[name], value)
		}
	}
	root := h.Superadmin()
	want("all of the instance", root.Do("M2M.LIST", P{"limit": 5}).OK(), all...)
	if got := jtis(root.Do("M2M.LIST", P{"app_id": far.id}).OK()); len(got) != 1 {
		t.Errorf("a superadmin finds %d tokens of an app, want 1", len(got))
	}
	first := list(P{"limit": 2})
	want("the first page", first, all[:2]...)
	second := list(P{"limit": 2, "cursor": first.String("next_cursor")})
	want("the second page", second, all[2:4]...)
	want("the last page", list(P{"limit": 2, "cursor": second.String("next_cursor")}), all[4])
	owner.Do("M2M.LIST", P{"cursor": first.String("next_cursor"), "app_id": two.id}).Fails(fault.Validation).Field("/cursor")
	owner.Do("M2M.LIST", P{"cursor": first.String("next_cursor"), "active": true}).Fails(fault.Validation).Field("/cursor")
	stranger.Do("M2M.LIST", P{"cursor": first.String("next_cursor")}).Fails(fault.Validation).Field("/cursor")

	h.Clock.Advance(2 * time.Minute) // the first two have expired
	h.Superadmin().Do("M2M.REVOKE", P{"jti": all[2]}).OK()
	want("good ones", list(P{"active": true}), all[0], all[1])
	want("others", list(P{"active": false}), all[2:]...)
	one.change("APP.UPDATE", P{"enabled": false})
	want("good ones of apps that are not disabled", list(P{"active": true}), all[1])
	owner.Do("M2M.BULK_REVOKE", P{"app_id": two.id}).OK()
	want("none", list(P{"active": true}))
	want("those that have ended", list(P{"active": false}), all...)

	two.actor(nil).Do("M2M.LIST", nil).OK()
}
