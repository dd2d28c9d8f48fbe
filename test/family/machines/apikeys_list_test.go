package machines_test

import (
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/test/harness"
)

// statuses makes a key of each status for somebody, the newest last.
func statuses(h *harness.Service, who *harness.Actor) (active, expired, revoked heldKey) {
	expired = mintWith(h, who, harness.P{"scopes": []string{"apps:read"}, "expires_at": h.Clock.Now().Add(time.Minute).Format(time.RFC3339Nano)})
	h.Clock.Advance(time.Minute)
	revoked = mint(h, who, "flows:read")
	who.Do("API_KEY.REVOKE", harness.P{"key_id": revoked.id}).OK()
	return mint(h, who, "users:read", "*:read"), expired, revoked
}

func TestListGivesOwnKeys(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	active, expired, revoked := statuses(h, alice)
	mint(h, bob)
	for status, want := range map[string][]string{
		"": {active.id, revoked.id, expired.id}, "active": {active.id}, "expired": {expired.id}, "revoked": {revoked.id},
	} {
		params := harness.P{}
		if status != "" {
			params["status"] = status
		}
		listed := alice.Do("API_KEY.LIST", params).OK()
		if got := ids(listed); !slices.Equal(got, want) {
			t.Errorf("keys that are %q: %q, want %q", status, got, want)
		}
		for _, item := range listed.List("items") {
			if status != "" && item["status"] != status {
				t.Errorf("a key among those that are %s: %v", status, item)
			}
			if item["key"] != nil {
				t.Error("a list shows the text of a key")
			}
		}
		if listed.Int("summary.total") != 3 {
			t.Errorf("the counts are those of the keys that are %q", status)
		}
	}
}

func TestListCounts(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	statuses(h, alice)
	for _, in := range []time.Duration{30 * day, 30*day + time.Second} {
		mintWith(h, alice, harness.P{"scopes": []string{"users:read"}, "expires_at": h.Clock.Now().Add(in).Format(time.RFC3339Nano)})
	}
	listed := alice.Do("API_KEY.LIST", harness.P{"limit": 1}).OK()
	for name, want := range map[string]int{"total": 5, "active": 3, "expiring_soon": 1, "unique_scopes": 2} {
		if got := listed.Int("summary." + name); got != want {
			t.Errorf("%s = %d, want %d", name, got, want)
		}
	}
}

func TestAPIKeyListGoesByPages(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	active, expired, revoked := statuses(h, alice)
	var walked []string
	params := harness.P{"limit": 1}
	for range 3 {
		page := alice.Do("API_KEY.LIST", params).OK()
		walked = append(walked, ids(page)...)
		params["cursor"] = page.Data["next_cursor"]
	}
	if !slices.Equal(walked, []string{active.id, revoked.id, expired.id}) || params["cursor"] != nil {
		t.Errorf("pages give %q, then %v", walked, params["cursor"])
	}
	cursor := alice.Do("API_KEY.LIST", harness.P{"limit": 1}).String("next_cursor")
	alice.Do("API_KEY.LIST", harness.P{"cursor": cursor, "status": "active"}).Fails(fault.Validation).Field("/cursor")
	h.SignUp("bob@example.com").Do("API_KEY.LIST", harness.P{"cursor": cursor}).Fails(fault.Validation).Field("/cursor")
}

func TestListOverAllWorkspacesAlsoByAKey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob := h.SignUp("alice@example.com"), h.SignUp("bob@example.com")
	elsewhere := mint(h, enter(t, h, bob, alice, "bob@example.com", role.Member))
	home := mint(h, bob)
	listed := home.holder.Do("API_KEY.LIST", nil).OK()
	if got := ids(listed); !slices.Equal(got, []string{home.id, elsewhere.id}) {
		t.Errorf("keys %q", got)
	}
	for i, org := range []string{bob.OrgID, alice.OrgID} {
		if got := listed.List("items")[i]["org_id"]; got != org {
			t.Errorf("key %d acts in %v, want %s", i, got, org)
		}
	}
	// Its own use is noted before the list is made.
	if got := listed.List("items")[0]["last_used_at"]; got != h.Clock.Now().Format(time.RFC3339Nano) {
		t.Errorf("last used %v, want %v", got, h.Clock.Now())
	}
}

func TestEndedKeysStayListedForAWhile(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	_, expired, revoked := statuses(h, alice)
	purge := func() { h.Superadmin().Do("SYSTEM.PURGE_EXPIRED", harness.P{"kinds": []string{"api_keys"}}).OK() }
	h.Clock.Advance(90*24*time.Hour - time.Minute - time.Second)
	purge()
	alice = h.Login("alice@example.com", harness.Password)
	if got := ids(alice.Do("API_KEY.LIST", nil)); !slices.Contains(got, expired.id) || !slices.Contains(got, revoked.id) {
		t.Errorf("keys %q before their time is over", got)
	}
	h.Clock.Advance(time.Hour)
	purge()
	alice = h.Login("alice@example.com", harness.Password)
	if n := alice.Do("API_KEY.LIST", nil).Int("summary.total"); n != 1 {
		t.Errorf("%d keys after it, want 1", n)
	}
}
