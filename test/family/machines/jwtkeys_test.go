package machines_test

import (
	"testing"

	"gatehouse.internal/test/harness"
)

// states returns the state of every key by its kid.
func states(r *harness.Reply) map[string]string {
	found := map[string]string{}
	for _, item := range r.List("items") {
		kid, _ := item["kid"].(string)
		found[kid], _ = item["state"].(string)
	}
	return found
}

// in returns the kid of the only key in a state.
func in(t *testing.T, r *harness.Reply, state string) string {
	t.Helper()
	found := ""
	for kid, of := range states(r) {
		if of != state {
			continue
		}
		if found != "" {
			t.Fatalf("%v: more than one key is %s", states(r), state)
		}
		found = kid
	}
	if found == "" {
		t.Fatalf("%v: no key is %s", states(r), state)
	}
	return found
}

// renewed is the actor with a fresh token.
func renewed(h *harness.Service, a *harness.Actor) *harness.Actor {
	return h.With(h.Anonymous().Do("AUTH.REFRESH", harness.P{"refresh_token": a.RefreshToken}).String("access_token"))
}
