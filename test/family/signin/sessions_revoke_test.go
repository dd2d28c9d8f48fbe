package signin_test

import (
	"strings"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

const stranger = "ses_01jd7x9k2mf3q8v5t0abcdefgh"

// revoked returns the sessions of the events session.revoked, newest first; all of
// them must have this reason.
func revoked(t *testing.T, h *harness.Service, reason string) []event.Record {
	t.Helper()
	records := h.Events(session.KindRevoked)
	for _, r := range records {
		if !strings.Contains(string(r.Data), `"reason":"`+reason+`"`) {
			t.Errorf("%s tells no reason %q", r.Data, reason)
		}
	}
	return records
}

func TestRevokeEndsAnOwnSession(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	other := h.Login("alice@example.com", harness.Password)
	if !alice.Do("SESSION.REVOKE", harness.P{"session_id": other.SessionID}).Bool("revoked") {
		t.Error("revoked = false")
	}
	other.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
	h.Anonymous().Do("AUTH.REFRESH", harness.P{"refresh_token": other.RefreshToken}).Fails(fault.Auth)
	alice.Do("AUTH.WHOAMI", nil).OK()
	events := revoked(t, h, session.ByUser)
	if len(events) != 1 || events[0].UserID != alice.UserID || !strings.Contains(string(events[0].Data), other.SessionID) {
		t.Errorf("events %+v, want one of the session %s", events, other.SessionID)
	}
}

func TestRevokeEndsTheCurrentSession(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	alice.Do("SESSION.REVOKE", harness.P{"session_id": alice.SessionID}).OK()
	alice.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
}

// Under a key the end of the own session is told to it again, that of another is not
// once the own has ended by other means.
func TestRevokeUnderAKey(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	other := h.Login("alice@example.com", harness.Password)
	alice.Idempotent("k").Do("SESSION.REVOKE", harness.P{"session_id": alice.SessionID}).OK()
	if !alice.Idempotent("k").Do("SESSION.REVOKE", harness.P{"session_id": alice.SessionID}).OK().Replayed {
		t.Error("the end of the own session is not told again")
	}
	third := h.Login("alice@example.com", harness.Password)
	other.Idempotent("l").Do("SESSION.REVOKE", harness.P{"session_id": third.SessionID}).OK()
	other.Do("AUTH.LOGOUT", nil).OK()
	other.Idempotent("l").Do("SESSION.REVOKE", harness.P{"session_id": third.SessionID}).Fails(fault.Auth)
}

func TestRevokeTwiceIsOneEvent(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	other := h.Login("alice@example.com", harness.Password)
	for range 2 {
		if !alice.Do("SESSION.REVOKE", harness.P{"session_id": other.SessionID}).Bool("revoked") {
			t.Error("revoked = false")
		}
	}
	if events := revoked(t, h, session.ByUser); len(events) != 1 {
		t.Errorf("%d events, want 1", len(events))
	}
}

func TestRevokeOfAnExpiredSessionIsNoEvent(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	old := h.SignUp("alice@example.com")
	h.Clock.Advance(31 * 24 * time.Hour)
	alice := h.Login("alice@example.com", harness.Password)
	alice.Do("SESSION.REVOKE", harness.P{"session_id": old.SessionID}).OK()
	if events := revoked(t, h, session.ByUser); len(events) != 0 {
		t.Errorf("events %+v, want none", events)
	}
}

func TestRevokeByAManager(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp("alice@example.com"), h.Superadmin()
	root.Do("SESSION.REVOKE", harness.P{"session_id": alice.SessionID}).OK()
	alice.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
	if events := revoked(t, h, session.ByAdmin); len(events) != 1 {
		t.Errorf("%d events, want 1", len(events))
	}
	root.Do("SESSION.REVOKE", harness.P{"session_id": stranger}).Fails(fault.NotFound)
}
