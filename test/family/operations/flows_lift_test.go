package operations_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/test/harness"
)

// A flow that denies everybody is lifted by whoever has the store, on every replica, and the
// event tells it.
func TestDisableFlowAfterALockout(t *testing.T) {
	t.Parallel()
	harness.OnEachDatabase(t, func(t *testing.T, dsn string) {
		h, store := harness.On(t, dsn), harness.On(t, dsn)
		enabled(h.Superadmin(), "shut", "login", denying("true"))
		login := func() *harness.Reply {
			return h.Anonymous().Do("AUTH.LOGIN", P{"email": harness.AdminEmail, "password": password})
		}
		login().Fails(fault.FlowBlocked)
		if err := store.DisableFlow(t.Context(), "", "shop"); fault.From(err).Code != fault.NotFound {
			t.Errorf("a flow that there is not: %v", err)
		}
		if err := store.DisableFlow(t.Context(), "", "shut"); err != nil {
			t.Fatal(err)
		}
		login().OK()
		if disabled := h.Events(flow.KindDisabled); len(disabled) != 1 {
			t.Errorf("flow.disabled was told %d times, want once", len(disabled))
		}
		if err := store.DisableFlow(t.Context(), "", "shut"); err != nil || len(h.Events(flow.KindDisabled)) != 1 {
			t.Errorf("again: %v, want nothing to change", err)
		}
	})
}

// A flow of a workspace is lifted by its workspace alone.
func TestAFlowOfAWorkspaceIsLifted(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	org := alice.Do("TEAM.LIST", nil).OK().List("items")[0]["id"].(string)
	alice.Do("FLOW.CREATE", with(denying("true"), P{"name": "shut", "trigger": "login", "enabled": true, "force": true})).OK()
	login := func() *harness.Reply {
		return h.Anonymous().Do("AUTH.LOGIN", P{"email": "alice@example.com", "password": password})
	}
	login().Fails(fault.FlowBlocked)
	if err := h.DisableFlow(t.Context(), "", "shut"); fault.From(err).Code != fault.NotFound {
		t.Errorf("as a flow of the instance: %v", err)
	}
	if err := h.DisableFlow(t.Context(), org, "shut"); err != nil {
		t.Fatal(err)
	}
	login().OK()
}
