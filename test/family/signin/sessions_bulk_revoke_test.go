package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

func TestBulkRevokeByFilter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		params func(alice *harness.Actor, middle time.Time) harness.P
	}{
		{"person", func(a *harness.Actor, _ time.Time) harness.P { return harness.P{"user_id": a.UserID} }},
		{"workspace", func(a *harness.Actor, _ time.Time) harness.P { return harness.P{"org_id": a.OrgID} }},
		{"address", func(a *harness.Actor, _ time.Time) harness.P {
			return harness.P{"ip": a.Do("SESSION.LIST", nil).List("items")[0]["ip"]}
		}},
		{"time", func(_ *harness.Actor, middle time.Time) harness.P {
			return harness.P{"issued_before": middle.Format(time.RFC3339Nano)}
		}},
		{"all of them", func(a *harness.Actor, middle time.Time) harness.P {
			return harness.P{"user_id": a.UserID, "org_id": a.OrgID, "issued_before": middle.Format(time.RFC3339Nano)}
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			alice := h.SignUp("alice@example.com")
			h.Clock.Advance(time.Minute)
			middle := h.Clock.Now()
			bob, root := h.SignUp("bob@example.com"), h.Superadmin()
			params := test.params(alice, middle)
			if got := root.Do("SESSION.BULK_REVOKE", params).Int("revoked_count"); got != 1 {
				t.Errorf("revoked_count = %d, want 1", got)
			}
			alice.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
			bob.Do("AUTH.WHOAMI", nil).OK()
			root.Do("AUTH.WHOAMI", nil).OK()
			if events := revoked(t, h, session.ByAdmin); len(events) != 1 || events[0].UserID != alice.UserID {
				t.Errorf("events %+v, want one of alice", events)
			}
		})
	}
}

func TestBulkRevokeKeepsTheCallersSession(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, other := h.Superadmin(), h.Superadmin()
	if got := root.Do("SESSION.BULK_REVOKE", harness.P{"user_id": root.UserID}).Int("revoked_count"); got != 1 {
		t.Errorf("revoked_count = %d, want 1", got)
	}
	root.Do("AUTH.WHOAMI", nil).OK()
	other.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
}

func TestBulkRevokeGoesOnUntilNoneIsLeft(t *testing.T) {
	t.Parallel()
	const many = 403 // two full batches and a bit
	h := harness.New(t)
	root := h.Superadmin()
	h.SignUp("alice@example.com")
	for range many - 1 {
		h.Anonymous().Do("AUTH.LOGIN", harness.P{"email": "alice@example.com", "password": harness.Password}).OK()
	}
	last := h.Login("alice@example.com", harness.Password)
	if got := root.DryRun().Do("SESSION.BULK_REVOKE", harness.P{"user_id": last.UserID}).Int("revoked_count"); got != many+1 {
		t.Errorf("dry run: revoked_count = %d, want %d", got, many+1)
	}
	if got := root.Do("SESSION.BULK_REVOKE", harness.P{"user_id": last.UserID}).Int("revoked_count"); got != many+1 {
		t.Errorf("revoked_count = %d, want %d", got, many+1)
	}
	wantIDs(t, root.Do("SESSION.SEARCH", harness.P{"user_id": last.UserID}))
	if events := revoked(t, h, session.ByAdmin); len(events) != many+1 {
		t.Errorf("%d events, want %d", len(events), many+1)
	}
}

func TestBulkRevokeRefuses(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	refused := root.Do("SESSION.BULK_REVOKE", nil).Fails(fault.Validation)
	for _, path := range []string{"/user_id", "/org_id", "/ip", "/issued_before"} {
		refused.Field(path)
	}
	alice.Do("AUTH.WHOAMI", nil).OK()
}
