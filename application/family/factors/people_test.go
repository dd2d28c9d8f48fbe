package factors_test

import (
	"slices"
	"testing"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// P keeps parameters short.
type P = harness.P

const (
	address = "alice@example.com"
	nobody  = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
	nothing = "fac_01jd7x9k2mf3q8v5t0abcdefgh"
)

// onEachStore runs a test on both databases.
func onEachStore(t *testing.T, test func(t *testing.T, h *harness.Service)) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		test(t, harness.New(t))
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, harness.On(t, harness.Postgres(t)))
	})
}

// manager is somebody with users:manage, by an API key of a superadmin, which
// carries that and no more.
func manager(h *harness.Service) *harness.Actor {
	return keyOf(h, h.Superadmin())
}

func keyOf(h *harness.Service, root *harness.Actor) *harness.Actor {
	return h.With(root.Do("API_KEY.CREATE", P{"name": "helpdesk", "scopes": []string{"users:manage"}}).OK().String("key"))
}

// verify answers a login by password.
func verify(h *harness.Service, method, code string) *harness.Reply {
	return h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": h.Challenge(address), "method": method, "code": code})
}

// needsNone reports whether a login by password needs no second factor.
func needsNone(h *harness.Service) bool {
	return h.Anonymous().Do("AUTH.LOGIN", P{"email": address, "password": harness.Password}).OK().Has("access_token")
}

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

// What asks for the factor that there is, is refused without, however recent the login.
func refusedWithoutFactor(t *testing.T, h *harness.Service, command string, params P) {
	t.Helper()
	before, alice := h.SignUp(address), h.Login(address, harness.Password)
	alice.EnrolApp()
	before.Do(command, params).Fails(fault.Auth)
}
