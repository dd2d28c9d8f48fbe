package machines_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/test/harness"
)

func TestM2MRevoke(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	m := m2mRegister(h, h.SignUp("ada@example.com"), "worker", P{"scopes": []string{"apps:read"}})
	one, other := m.token(nil), m.token(nil)
	jti := one.String("jti")
	root := h.Superadmin()
	root.DryRun().Do("M2M.REVOKE", P{"jti": jti}).OK()
	if !introspect(h, one.String("access_token")).Bool("active") {
		t.Error("a dry run revoked")
	}
	for range 2 {
		if got := root.Do("M2M.REVOKE", P{"jti": jti}); !got.Bool("revoked") || got.String("jti") != jti {
			t.Errorf("answer %v", got.Data)
		}
		wantInactive(t, h, one.String("access_token"), "token_revoked")
	}
	h.With(other.String("access_token")).Do("APP.LIST", nil).OK()
	events := h.Events(m2m.KindRevoked)
	data := fmt.Sprintf(`{"app_id":%q,"org_id":%q,"jti":%q,"count":1}`, m.id, m.owner.OrgID, jti)
	if len(events) != 1 || string(events[0].Data) != data || events[0].OrgID != m.owner.OrgID || events[0].Origin.ActorID != root.UserID {
		t.Errorf("events %+v, want one with %s", events, data)
	}
	for _, unknown := range []string{"0193c1a2-7b1e-7c3d-9a5f-abcdef012345", "x"} {
		root.Do("M2M.REVOKE", P{"jti": unknown}).Fails(fault.NotFound)
	}
}

func TestBulkRevoke(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	owner := h.SignUp("ada@example.com")
	m, other := m2mRegister(h, owner, "worker", nil), m2mRegister(h, owner, "other", nil)
	first := m.token(nil).String("access_token")
	h.Clock.Advance(time.Minute)
	middle := h.Clock.Now()
	second, foreign := m.token(nil).String("access_token"), other.token(nil).String("access_token")
	h.Clock.Advance(time.Minute)
	root := h.Superadmin()
	revoked := func(params P) int { return m.change("M2M.BULK_REVOKE", params).Int("revoked_count") }
	if got := owner.DryRun().Do("M2M.BULK_REVOKE", P{"app_id": m.id}).Int("revoked_count"); got != 2 {
		t.Errorf("a dry run: %d, want 2", got)
	}
	if got := revoked(P{"issued_before": middle.Format(time.RFC3339Nano)}); got != 1 {
		t.Errorf("before a time: %d, want 1", got)
	}
	wantInactive(t, h, first, "token_revoked")
	if !introspect(h, second).Bool("active") || revoked(P{"issued_before": middle.Format(time.RFC3339Nano)}) != 0 {
		t.Error("the second token ended too, or the first one twice")
	}
	if got := revoked(P{"issued_before": h.Clock.Now().Add(time.Hour).Format(time.RFC3339Nano)}); got != 1 {
		t.Errorf("before a time to come: %d, want 1", got)
	}
	wantInactive(t, h, second, "token_revoked")
	if !introspect(h, foreign).Bool("active") {
		t.Error("a token of another app ended")
	}
	next := m.token(nil).String("access_token") // at the same time by the clock
	if !introspect(h, next).Bool("active") {
		t.Error("a token that was issued afterwards is not active")
	}
	if got := revoked(nil); got != 1 {
		t.Errorf("all: %d, want 1", got)
	}
	wantInactive(t, h, next, "token_revoked")
	events := h.Events(m2m.KindRevoked)
	data := fmt.Sprintf(`{"app_id":%q,"org_id":%q,"count":1}`, m.id, owner.OrgID)
	if len(events) != 3 || slices.ContainsFunc(events, func(e event.Record) bool { return string(e.Data) != data || e.OrgID != owner.OrgID }) {
		t.Errorf("events %+v, want three with %s", events, data)
	}
	last := m.token(nil).String("access_token")
	if got := root.Do("M2M.BULK_REVOKE", P{"app_id": m.id}).Int("revoked_count"); got != 1 {
		t.Errorf("a superadmin ended %d tokens of another workspace, want 1", got)
	}
	wantInactive(t, h, last, "token_revoked")
	if events := h.Events(m2m.KindRevoked); events[0].OrgID != owner.OrgID {
		t.Errorf("the event is filed under %s", events[0].OrgID)
	}
	h.SignUp("eve@example.com").Do("M2M.BULK_REVOKE", P{"app_id": m.id}).Fails(fault.NotFound)
	owner.Do("M2M.BULK_REVOKE", P{"app_id": "0193c1a2-7b1e-7c3d-9a5f-abcdef012345"}).Fails(fault.NotFound)
	m.change("APP.SCOPE_GRANT", P{"scopes": []string{"apps:write"}})
	m.actor(nil).Do("M2M.BULK_REVOKE", P{"app_id": m.id}).OK()
}
