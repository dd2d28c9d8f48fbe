package machines_test

import (
	"testing"
	"time"

	"gatehouse.internal/test/harness"
)

func TestListShowsAFreshRing(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	r := h.Superadmin().Do("JWT_KEY.LIST", nil)
	items := r.List("items")
	if len(items) != 2 || items[0]["state"] != "next" || items[1]["state"] != "active" {
		t.Fatalf("items = %v, want the key in waiting, then the active one", items)
	}
	for _, item := range items {
		if item["algorithm"] != "ES256" || item["overlap_until"] != nil || item["kid"] == "" || len(item) != 5 {
			t.Errorf("item = %v", item)
		}
	}
	if r.Data["schedule"] != nil {
		t.Errorf("schedule = %v, want null", r.Data["schedule"])
	}
}

func TestListShowsEveryState(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	retired := root.Do("JWT_KEY.ROTATE", harness.P{"overlap_hours": 1}).String("previous_kid")
	h.Clock.Advance(2 * time.Hour)
	root = h.Superadmin()
	overlapping := root.Do("JWT_KEY.ROTATE", nil)
	revoked := root.Do("JWT_KEY.ROTATE", nil).String("previous_kid")
	root.Do("JWT_KEY.REVOKE", harness.P{"kid": revoked}).OK()
	r := h.Superadmin().Do("JWT_KEY.LIST", nil)
	if got := len(r.List("items")); got != 5 {
		t.Fatalf("%d keys, want 5: %v", got, states(r))
	}
	in(t, r, "next")
	in(t, r, "active")
	for kid, state := range map[string]string{
		retired: "retired", overlapping.String("previous_kid"): "overlapping", revoked: "revoked",
	} {
		if got := states(r)[kid]; got != state {
			t.Errorf("the key %s is %s, want %s", kid, got, state)
		}
	}
	for _, item := range r.List("items") {
		if item["kid"] == overlapping.String("previous_kid") && item["overlap_until"] != overlapping.String("overlap_until") {
			t.Errorf("overlap_until = %v, want %s", item["overlap_until"], overlapping.String("overlap_until"))
		}
	}
}
