package signin_test

import (
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// P keeps parameters short.
type P = harness.P

const (
	authAddress = "alice@example.com"
	// bcryptHash is that of upstream in another system.
	bcryptHash   = "$2a$04$26iWKg8CdNTzXm3iSkyS4uQJGxysx.0ZTSZGbN4SSO6V.aErOXaMW"
	authUpstream = "upstream secret"
	authNobody   = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
	nowhere      = "org_01jd7x9k2mf3q8v5t0abcdefgh"
)

func login(h *harness.Service, email, password string) *harness.Reply {
	return h.Anonymous().Do("AUTH.LOGIN", P{"email": email, "password": password})
}

// guess sends wrong passwords.
func guess(h *harness.Service, email string, times int) {
	for range times {
		login(h, email, "wrong").Fails(fault.Auth)
	}
}

func refresh(h *harness.Service, token string) *harness.Reply {
	return h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": token})
}

// data are the contents of the stored events of a kind, newest first.
func data(h *harness.Service, kind event.Kind) []string {
	all := []string{}
	for _, e := range h.Events(kind) {
		all = append(all, string(e.Data))
	}
	return all
}

func same(t *testing.T, what string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s = %q, want %q", what, got, want)
	}
}

// keys are the names in an object, in order.
func keys(object P) string {
	names := make([]string, 0, len(object))
	for name := range object {
		names = append(names, name)
	}
	slices.Sort(names)
	return strings.Join(names, " ")
}

// hash is the stored password hash of an account.
func hash(t *testing.T, h *harness.Service, userID string) string {
	t.Helper()
	var stored string
	if err := h.Store.Database().Read.GetContext(t.Context(), &stored, `SELECT hash FROM credentials WHERE user_id = $1`, userID); err != nil {
		t.Fatal(err)
	}
	return stored
}
