package signin_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

const (
	factorAddress = "alice@example.com"
	factorNobody  = "usr_01jd7x9k2mf3q8v5t0abcdefgh"
	factorNothing = "fac_01jd7x9k2mf3q8v5t0abcdefgh"
)

// manager is somebody with users:manage, by an API key of a superadmin, which
// carries that and no more.
func manager(h *harness.Service) *harness.Actor {
	return keyOf(h, h.Superadmin())
}

func keyOf(h *harness.Service, root *harness.Actor) *harness.Actor {
	return h.With(root.Do("API_KEY.CREATE", P{"name": "helpdesk", "scopes": []string{"users:manage"}}).OK().String("key"))
}

// factorVerify answers a login by password.
func factorVerify(h *harness.Service, method, code string) *harness.Reply {
	return h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": h.Challenge(factorAddress), "method": method, "code": code})
}

// needsNone reports whether a login by password needs no second factor.
func needsNone(h *harness.Service) bool {
	return h.Anonymous().Do("AUTH.LOGIN", P{"email": factorAddress, "password": harness.Password}).OK().Has("access_token")
}

// What asks for the factor that there is, is refused without, however recent the login.
func refusedWithoutFactor(t *testing.T, h *harness.Service, command string, params P) {
	t.Helper()
	before, alice := h.SignUp(factorAddress), h.Login(factorAddress, harness.Password)
	alice.EnrollApp()
	before.Do(command, params).Fails(fault.Auth)
}
