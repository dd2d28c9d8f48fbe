package signin_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/test/harness"
)

func TestReset(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp(factorAddress)
		app := alice.EnrollApp()
		alice.EnrollApp()
		device := h.LoginBy(factorAddress, app).Do("DEVICE.TRUST", nil).OK().String("device_token")
		waiting := h.Challenge(factorAddress)
		for range 10 {
			factorVerify(h, "totp", "000000")
		}
		helpdesk := manager(h)
		dry := helpdesk.DryRun().Do("MFA.RESET", P{"user_id": alice.UserID}).OK()
		if dry.Int("removed") != 2 || dry.Int("sessions_revoked") != 2 {
			t.Errorf("a dry run = %v", dry.Data)
		}
		done := helpdesk.Do("MFA.RESET", P{"user_id": alice.UserID, "reason": "lost the phone"}).OK()
		if done.Int("removed") != 2 || done.Int("sessions_revoked") != 2 {
			t.Errorf("the result = %v", done.Data)
		}
		alice.Do("USER.ME", nil).Fails(fault.Auth)
		h.Anonymous().Do("AUTH.REFRESH", P{"refresh_token": alice.RefreshToken}).Fails(fault.Auth)
		h.Anonymous().Do("AUTH.MFA_VERIFY", P{"challenge_token": waiting, "code": app.Code()}).Fails(fault.Auth)
		if !needsNone(h) {
			t.Error("after the reset a login needs a second factor")
		}
		same(t, "mfa.reset", data(h, mfa.KindReset), []string{`{"user_id":"` + alice.UserID + `","removed":2,"reason":"lost the phone"}`})

		// The lock is gone with the factors, and so is what was remembered.
		fresh := h.Login(factorAddress, harness.Password).EnrollApp()
		h.LoginBy(factorAddress, fresh)
		if h.Anonymous().Do("AUTH.LOGIN", P{"email": factorAddress, "password": harness.Password, "device_token": device}).OK().Has("access_token") {
			t.Error("a device from before the reset is still remembered")
		}
		again := helpdesk.Do("MFA.RESET", P{"user_id": h.SignUp("bob@example.com").UserID}).OK()
		if again.Int("removed") != 0 {
			t.Errorf("of somebody without factors: %v", again.Data)
		}
	})
}

// What administrators do is out of reach for others, and superadmins are out of
// reach for administrators.
func TestWhoAdministersFactors(t *testing.T) {
	t.Parallel()
	for _, command := range []string{"MFA.RESET", "MFA.BYPASS_CREATE"} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			h := harness.New(t)
			alice, root := h.SignUp(factorAddress), h.Superadmin()
			app := alice.EnrollApp()
			root.Do("USER.SET_SUPERADMIN", P{"user_id": alice.UserID, "is_superadmin": true}).OK()
			helpdesk := manager(h)
			helpdesk.Do(command, P{"user_id": alice.UserID}).Fails(fault.Denied)
			helpdesk.Do(command, P{"user_id": root.UserID}).Fails(fault.Validation).Field("/user_id")
			helpdesk.Do(command, P{"user_id": factorNobody}).Fails(fault.NotFound)
			root.Do(command, P{"user_id": root.UserID}).Fails(fault.Validation).Field("/user_id")
			h.LoginBy(factorAddress, app)
			root.Do(command, P{"user_id": alice.UserID}).OK()
		})
	}
}
