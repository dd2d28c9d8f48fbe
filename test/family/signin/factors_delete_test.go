package signin_test

import (
	"testing"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/test/harness"
)

func TestDelete(t *testing.T) {
	t.Parallel()
	harness.OnEachStore(t, func(t *testing.T, h *harness.Service) {
		alice := h.SignUp(factorAddress)
		first, second := alice.EnrollApp(), alice.EnrollApp()
		alice.Do("MFA.DELETE", P{"factor_id": first.FactorID}).OK()
		alice.Do("MFA.DELETE", P{"factor_id": first.FactorID}).Fails(fault.NotFound)
		factorVerify(h, "totp", first.Code()).Fails(fault.Auth)
		factorVerify(h, "recovery_code", first.RecoveryCodes[0]).OK()
		h.LoginBy(factorAddress, second)
		alice.DryRun().Do("MFA.DELETE", P{"factor_id": second.FactorID}).OK()
		alice.Do("MFA.DELETE", P{"factor_id": second.FactorID}).OK()
		if !needsNone(h) {
			t.Error("without a factor a login needs one")
		}
		if left := alice.Do("MFA.LIST", nil).OK().Int("recovery_codes_left"); left != 0 {
			t.Errorf("%d recovery codes are left without a factor", left)
		}
		same(t, "mfa.removed", data(h, mfa.KindRemoved)[:1],
			[]string{`{"user_id":"` + alice.UserID + `","factor_id":"` + second.FactorID + `","method":"totp"}`})

		// Enrolling anew brings new recovery codes; the old ones are dead.
		again := alice.EnrollApp()
		factorVerify(h, "recovery_code", first.RecoveryCodes[1]).Fails(fault.Auth)
		factorVerify(h, "recovery_code", again.RecoveryCodes[1]).OK()
	})
}

// The last factor stays while a policy asks for one, unless a passkey is left.
func TestDeleteUnderAPolicy(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, root := h.SignUp(factorAddress), h.Superadmin()
	first, second := alice.EnrollApp(), alice.EnrollApp()
	root.Do("POLICY.SET", P{"kind": "mfa", "values": P{"required": true}}).OK()
	alice.Do("MFA.DELETE", P{"factor_id": first.FactorID}).OK()
	alice.Do("MFA.DELETE", P{"factor_id": second.FactorID}).Fails(fault.Validation)
	alice.Passkey()
	alice.Do("MFA.DELETE", P{"factor_id": second.FactorID}).OK()
	if needsNone(h) {
		t.Error("the policy asks for no passkey")
	}
}

func TestDeleteNeedsTheFactor(t *testing.T) {
	t.Parallel()
	refusedWithoutFactor(t, harness.New(t), "MFA.DELETE", P{"factor_id": factorNothing})
}

// A device that was remembered skips a second factor no longer once one is removed.
func TestDeleteForgetsDevices(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(factorAddress)
	first := alice.EnrollApp()
	second := alice.EnrollApp()
	device := h.LoginBy(factorAddress, second).Do("DEVICE.TRUST", nil).OK().String("device_token")
	known := func() bool {
		return h.Anonymous().Do("AUTH.LOGIN", P{"email": factorAddress, "password": harness.Password, "device_token": device}).OK().Has("access_token")
	}
	if !known() {
		t.Fatal("the device is not remembered")
	}
	alice.Do("MFA.DELETE", P{"factor_id": first.FactorID}).OK()
	if known() {
		t.Error("the device is still remembered")
	}
}

// Who has the password and a remembered device gave no second factor, and must not
// change them.
func TestRememberedDeviceIsNoFactor(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(factorAddress)
	app := alice.EnrollApp()
	device := h.LoginBy(factorAddress, app).Do("DEVICE.TRUST", nil).OK().String("device_token")
	token := h.Anonymous().Do("AUTH.LOGIN", P{"email": factorAddress, "password": harness.Password, "device_token": device}).OK().String("access_token")
	known := h.With(token)
	known.Do("MFA.DELETE", P{"factor_id": app.FactorID}).Fails(fault.Auth)
	known.Do("MFA.RECOVERY_CODE_REGENERATE", nil).Fails(fault.Auth)
	known.Do("AUTH.MFA_SETUP_TOTP", nil).Fails(fault.Auth)
}
