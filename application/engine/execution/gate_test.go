package execution_test

import (
	"net/netip"
	"testing"

	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/ports/inbound"
	"gatehouse.internal/test/harness"
)

// TestGateOfSuperadmins lets superadmins in by their sessions, as commands for them do,
// and counts them.
func TestGateOfSuperadmins(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	root, alice := l.Superadmin(), l.SignUp("alice@example.com")
	gone := l.Login("root@example.com", harness.Password)
	gone.Do("AUTH.LOGOUT", nil).OK()
	ask := func(authorization string) *fault.Error {
		return l.engine.Superadmin(t.Context(), inbound.Request{
			Authorization: authorization, Method: "GET", Path: "/metrics", IdempotencyKey: "k", IP: netip.MustParseAddr("192.0.2.1"),
		})
	}
	bearer := "Bearer " + root.AccessToken
	if refused := ask(bearer); refused != nil {
		t.Errorf("a superadmin is refused: %v", refused)
	}
	for name, c := range map[string]struct {
		authorization string
		want          fault.Code
	}{
		"nobody":           {"", fault.Auth},
		"somebody":         {"Bearer " + alice.AccessToken, fault.Denied},
		"a key":            {l.apiKey(root, func(s *apikey.Snapshot) { s.Scopes = []string{"*"} }).bearer(), fault.Denied},
		"an ended session": {"Bearer " + gone.AccessToken, fault.Auth},
		"a forged token":   {bearer + "x", fault.TokenInvalid},
		"another scheme":   {"Basic " + root.AccessToken, fault.Auth},
	} {
		if refused := ask(c.authorization); refused == nil || refused.Code != c.want {
			t.Errorf("%s: %v, want %s", name, refused, c.want)
		}
	}
	root.Do("RATE_LIMIT.SET", harness.P{"command": "*", "limit": 2, "window_seconds": 60}).OK()
	if refused := ask(bearer); refused == nil || refused.Code != fault.RateLimited {
		t.Errorf("a superadmin who asked twice: %v, want RATE_LIMITED", refused)
	}
}
