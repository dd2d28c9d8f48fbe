package signin_test

import (
	"net/url"
	"testing"

	"gatehouse.internal/test/harness"
)

// An authenticator app calls the service as its pages do.
func TestAppsCallTheServiceByItsName(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, there *harness.Service) {
		alice := h.SignUp(authAddress)
		issuer := func(want string) {
			t.Helper()
			otpauth, err := url.Parse(alice.Do("AUTH.MFA_SETUP_TOTP", nil).OK().String("otpauth_url"))
			if err != nil || otpauth.Query().Get("issuer") != want || otpauth.Path != "/"+want+":"+authAddress {
				t.Errorf("otpauth_url = %v, %v, want the issuer %s", otpauth, err, want)
			}
		}
		h.Superadmin().Do("BRANDING.SET", P{"name": "Acme & Sons"}).OK()
		issuer("Acme & Sons")
		alice.Do("BRANDING.SET", P{"org_id": alice.OrgID, "name": "Alice"}).OK()
		issuer("Alice")
	})
}
