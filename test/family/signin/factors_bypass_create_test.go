package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/test/harness"
)

func TestBypass(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice, root := h.SignUp(factorAddress), h.Superadmin()
		create := func(params P) *harness.Reply {
			params["user_id"] = alice.UserID
			return manager(h).Do("MFA.BYPASS_CREATE", params)
		}
		create(P{}).Fails(fault.Validation).Field("/user_id")
		alice.EnrollApp()
		if got := root.DryRun().Do("MFA.BYPASS_CREATE", P{"user_id": alice.UserID}).OK().String("code"); got != "" {
			t.Error("a dry run shows a code")
		}
		replaced := create(P{}).OK().String("code")
		made := create(P{"ttl_minutes": 5}).OK()
		if until := made.String("expires_at"); until != h.Clock.Now().Add(5*time.Minute).Format(time.RFC3339Nano) {
			t.Errorf("expires_at = %s", until)
		}
		factorVerify(h, "bypass", replaced).Fails(fault.Auth)
		alice.Do("AUTH.MFA_VERIFY", P{"code": made.String("code")}).Fails(fault.Validation)
		pair := factorVerify(h, "bypass", made.String("code")).OK()
		factorVerify(h, "bypass", made.String("code")).Fails(fault.Auth)
		same(t, "mfa.succeeded", data(h, mfa.KindSucceeded)[:1], []string{`{"user_id":"` + alice.UserID + `","method":"bypass"}`})
		h.With(pair.String("access_token")).Do("AUTH.MFA_SETUP_TOTP", nil).OK()

		late := create(P{}).OK().String("code")
		h.Clock.Advance(time.Hour)
		factorVerify(h, "bypass", late).Fails(fault.Auth)
	})
}

// A bypass is for people who ran into the lock, too; it stands in for a passkey
// where a policy asks for one.
func TestBypassLiftsTheLock(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp(factorAddress), h.Superadmin()
	app := alice.EnrollApp()
	for range 10 {
		factorVerify(h, "recovery_code", "0").Fails(fault.Auth)
	}
	factorVerify(h, "totp", app.Code()).Fails(fault.Auth)
	code := root.Do("MFA.BYPASS_CREATE", P{"user_id": alice.UserID}).OK().String("code")
	factorVerify(h, "bypass", code).OK()

	root.Do("POLICY.SET", P{"kind": "mfa", "values": P{"required": true}}).OK()
	alice.Passkey()
	alice.Do("MFA.DELETE", P{"factor_id": app.FactorID}).OK()
	code = root.Do("MFA.BYPASS_CREATE", P{"user_id": alice.UserID}).OK().String("code")
	factorVerify(h, "bypass", code).OK()
}
