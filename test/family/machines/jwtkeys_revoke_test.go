package machines_test

import (
	"strings"
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/test/harness"
)

func TestRevokeTheActiveKey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	before := root.Do("JWT_KEY.LIST", nil)
	active, next := in(t, before, "active"), in(t, before, "next")
	r := root.Do("JWT_KEY.REVOKE", harness.P{"kid": active, "reason": "it leaked"})
	if !r.Bool("revoked") || r.String("new_kid") != next {
		t.Errorf("data = %v, want the key %s to take over", r.Data, next)
	}
	root.Do("AUTH.WHOAMI", nil).Fails(fault.TokenInvalid)
	root = renewed(h, root)
	after := root.Do("JWT_KEY.LIST", nil)
	if in(t, after, "active") != next || states(after)[active] != "revoked" || states(before)[in(t, after, "next")] != "" {
		t.Errorf("keys = %v after %v", states(after), states(before))
	}
	events := h.Events(signingkey.KindRevoked)
	if len(events) != 1 || !strings.Contains(string(events[0].Data), "it leaked") || !strings.Contains(string(events[0].Data), next) {
		t.Errorf("events = %+v", events)
	}
	root.Do("JWT_KEY.REVOKE", harness.P{"kid": active}).Fails(fault.NotFound)
}

func TestRevokeAnOverlappingKey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	old := h.Superadmin()
	previous := old.Do("JWT_KEY.ROTATE", nil).String("previous_kid")
	root := h.Superadmin()
	if r := root.Do("JWT_KEY.REVOKE", harness.P{"kid": previous}).OK(); r.Has("new_kid") {
		t.Errorf("data = %v, want no new key", r.Data)
	}
	old.Do("AUTH.WHOAMI", nil).Fails(fault.TokenInvalid)
	root.Do("AUTH.WHOAMI", nil).OK()
}

func TestRevokeTheKeyInWaiting(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	next := in(t, root.Do("JWT_KEY.LIST", nil), "next")
	if r := root.Do("JWT_KEY.REVOKE", harness.P{"kid": next}).OK(); r.Has("new_kid") {
		t.Errorf("data = %v, want no new key", r.Data)
	}
	root.Do("AUTH.WHOAMI", nil).OK()
	if after := in(t, root.Do("JWT_KEY.LIST", nil), "next"); after == next {
		t.Error("the key in waiting is still the one that was thrown out")
	}
}

func TestRevokeRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	root.Do("JWT_KEY.REVOKE", harness.P{"kid": "nobody"}).Fails(fault.NotFound)
}
