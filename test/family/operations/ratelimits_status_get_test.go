package operations_test

import (
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	signinstore "gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/ports/outbound/signin"
	"gatehouse.internal/test/harness"
)

func wantStatus(t *testing.T, r *harness.Reply, used, most int, resets time.Time) {
	t.Helper()
	if r.Int("used") != used || r.Int("limit") != most || r.Int("remaining") != max(most-used, 0) ||
		r.String("resets_at") != resets.Format(time.RFC3339Nano) {
		t.Errorf("data = %v, want %d of %d until %v", r.Data, used, most, resets)
	}
}

func TestStatusOfAnAddress(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	status := func(subject string) *harness.Reply {
		return root.Do("RATE_LIMIT.STATUS_GET", harness.P{"command": "AUTH.CHECK_PASSWORD", "subject": subject})
	}
	wantStatus(t, status("10.0.0.7"), 0, 60, h.Clock.Now())
	for range 3 {
		h.Anonymous().From(7).Do("AUTH.CHECK_PASSWORD", harness.P{"password": "plum tree 42"}).OK()
	}
	for _, subject := range []string{"10.0.0.7", "::ffff:10.0.0.7"} {
		wantStatus(t, status(subject), 3, 60, h.Clock.Now().Add(time.Minute))
	}
	wantStatus(t, status("10.0.0.8"), 0, 60, h.Clock.Now())
	rateLimitTune(root, "AUTH.CHECK_PASSWORD", 2)
	wantStatus(t, status("10.0.0.7"), 3, 2, h.Clock.Now().Add(time.Minute))
	h.Clock.Advance(time.Minute)
	wantStatus(t, status("10.0.0.7"), 0, 2, h.Clock.Now())
}

func TestStatusOfASession(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	h.Anonymous().Do("AUTH.REFRESH", harness.P{"refresh_token": alice.RefreshToken}).OK()
	in := h.Clock.Now().Add(time.Minute)
	wantStatus(t, root.Do("RATE_LIMIT.STATUS_GET", harness.P{"command": "*", "subject": alice.SessionID}), 1, 600, in)
	wantStatus(t, root.Do("RATE_LIMIT.STATUS_GET", harness.P{"command": "AUTH.REFRESH", "subject": alice.SessionID}), 1, 600, in)
	wantStatus(t, root.Do("RATE_LIMIT.STATUS_GET", harness.P{"command": "AUTH.REFRESH", "subject": "10.0.0.1"}), 0, 6000, h.Clock.Now())
}

func TestStatusOfAnAccount(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root, alice := h.Superadmin(), h.SignUp("alice@example.com")
	root.Do("RATE_LIMIT.SET", harness.P{"command": "SESSION.LIST", "limit": 9, "window_seconds": 60, "key": "user"}).OK()
	alice.Do("SESSION.LIST", nil).OK()
	r := root.Do("RATE_LIMIT.STATUS_GET", harness.P{"command": "SESSION.LIST", "subject": alice.UserID})
	wantStatus(t, r, 1, 9, h.Clock.Now().Add(time.Minute))
}

func TestStatusDuringASpike(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	root := h.Superadmin()
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) signin.LoginFailures { return signinstore.LoginFailures(tx) })
	now := h.Clock.Now()
	if err := unit.Do(t.Context(), func(tx signin.LoginFailures) error {
		return tx.SetSpike(t.Context(), loginevent.Spike{StartedAt: now, Until: now.Add(time.Minute)})
	}); err != nil {
		t.Fatalf("SetSpike() = %v", err)
	}
	login := harness.P{"email": "alice@example.com", "password": "not hers at all"}
	for range 5 {
		h.Anonymous().From(7).Do("AUTH.LOGIN", login).Fails(fault.Auth)
	}
	h.Anonymous().From(7).Do("AUTH.LOGIN", login).Fails(fault.RateLimited)
	r := root.Do("RATE_LIMIT.STATUS_GET", harness.P{"command": "AUTH.LOGIN", "subject": "10.0.0.7"})
	wantStatus(t, r, 5, 5, now.Add(time.Minute))
	r = root.Do("RATE_LIMIT.STATUS_GET", harness.P{"command": "AUTH.CHECK_PASSWORD", "subject": "10.0.0.7"})
	wantStatus(t, r, 0, 60, now)
}

func TestStatusRefuses(t *testing.T) {
	t.Parallel()
	root := harness.New(t).Superadmin()
	status := func(command, subject string) *harness.Reply {
		return root.Do("RATE_LIMIT.STATUS_GET", harness.P{"command": command, "subject": subject})
	}
	status("AUTH.LEAVE", "10.0.0.1").Fails(fault.NotFound)
	status("AUTH.LOGIN", "alice@example.com").Fails(fault.Validation).Field("/subject")
	status("AUTH.LOGIN", "ses_nobody").Fails(fault.Validation).Field("/subject")
	status("AUTH.WHOAMI", root.SessionID).Fails(fault.Validation).Field("/command")
}
