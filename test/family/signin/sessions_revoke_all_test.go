package signin_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/test/harness"
)

func TestRevokeAllKeepsTheCurrentSession(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp("alice@example.com")
	others := []*harness.Actor{h.Login("alice@example.com", harness.Password), h.Login("alice@example.com", harness.Password)}
	bob := h.SignUp("bob@example.com")
	if got := alice.DryRun().Do("SESSION.REVOKE_ALL", nil).Int("revoked_count"); got != 2 {
		t.Errorf("dry run: revoked_count = %d, want 2", got)
	}
	others[0].Do("AUTH.WHOAMI", nil).OK()
	if got := alice.Do("SESSION.REVOKE_ALL", nil).Int("revoked_count"); got != 2 {
		t.Errorf("revoked_count = %d, want 2", got)
	}
	for _, other := range others {
		other.Do("AUTH.WHOAMI", nil).Fails(fault.Auth)
		h.Anonymous().Do("AUTH.REFRESH", harness.P{"refresh_token": other.RefreshToken}).Fails(fault.Auth)
	}
	alice.Do("AUTH.WHOAMI", nil).OK()
	bob.Do("AUTH.WHOAMI", nil).OK()
	if events := revoked(t, h, session.ByUser); len(events) != 2 {
		t.Errorf("%d events, want 2", len(events))
	}
	if got := alice.Do("SESSION.REVOKE_ALL", nil).Int("revoked_count"); got != 0 {
		t.Errorf("revoked_count of the second call = %d, want 0", got)
	}
}
