package machines_test

import (
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore/machines"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

const dpopStranger = "dpk_01jd7x9k2mf3q8v5t0abcdefgh"

func TestDPoPRevoke(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id := dpopRegister(h, alice)
	for range 2 {
		if !alice.Do("DPOP.REVOKE", harness.P{"binding_id": id}).Bool("revoked") {
			t.Error("revoked = false")
		}
		h.Clock.Advance(time.Second)
	}
	events := h.Events(dpop.KindRevoked)
	if len(events) != 1 || events[0].UserID != alice.UserID || events[0].OrgID != alice.OrgID {
		t.Errorf("events %+v, want one of %s", events, alice.UserID)
	}
	item := alice.Do("DPOP.LIST", nil).List("items")[0]
	if want := h.Clock.Now().Add(-2 * time.Second).Format(time.RFC3339Nano); item["status"] != "revoked" || item["revoked_at"] != want {
		t.Errorf("the list tells %v, want that it was revoked at %s", item, want)
	}
}

func TestRevokeHidesForeignBindings(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, bob, root := h.SignUp("alice@example.com"), h.SignUp("bob@example.com"), h.Superadmin()
	id := dpopRegister(h, alice)
	absent := bob.Do("DPOP.REVOKE", harness.P{"binding_id": dpopStranger}).Fails(fault.NotFound)
	for _, who := range []*harness.Actor{bob, root} {
		foreign := who.Do("DPOP.REVOKE", harness.P{"binding_id": id}).Fails(fault.NotFound)
		if foreign.Failure.Message != absent.Failure.Message {
			t.Errorf("foreign is told as %q, absent as %q", foreign.Failure.Message, absent.Failure.Message)
		}
	}
	if item := alice.Do("DPOP.LIST", nil).List("items")[0]; item["status"] != "active" {
		t.Errorf("the binding is %v", item["status"])
	}
}

func TestRevokeOfAnExpiredBindingIsNoEvent(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id := alice.Do("DPOP.REGISTER", harness.P{"public_jwk": h.Holder().JWK(), "ttl_hours": 1}).String("binding.id")
	h.Clock.Advance(time.Hour)
	alice = h.Login("alice@example.com", harness.Password)
	alice.Do("DPOP.REVOKE", harness.P{"binding_id": id}).OK()
	if events := h.Events(dpop.KindRevoked); len(events) != 0 {
		t.Errorf("events %+v, want none", events)
	}
}

func TestBindingsGoWithTheAccount(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	id := dpopRegister(h, alice)
	h.Superadmin().Do("USER.DELETE", harness.P{"user_id": alice.UserID}).OK()
	_, err := machines.BindingDirectory(h.Store).Live(t.Context(), dpop.ID(id), dpop.Owner{})
	if fault.From(err).Code != fault.NotFound {
		t.Errorf("the binding of a deleted account: %v", err)
	}
	rows, err := ops.Upkeep(h.Store).Rows(t.Context())
	if err != nil || rows["dpop_bindings"] != 0 {
		t.Errorf("%d bindings are left (%v)", rows["dpop_bindings"], err)
	}
}
