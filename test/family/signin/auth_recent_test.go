package signin_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/harness"
)

// strong is an account with a password and a passkey, and a device on which it is
// remembered. Its session was opened by the passkey.
func strong(h *harness.Service) (owner *harness.Actor, device *harness.Authenticator, remembered string) {
	made := h.SignUp(authAddress)
	device = made.Passkey()
	owner = taken(h, h.LoginByPasskey(device).OK())
	owner.UserID = made.UserID
	return owner, device, owner.Do("DEVICE.TRUST", nil).OK().String("device_token")
}

// signed is what an authenticator signs for a challenge token.
func signed(h *harness.Service, device *harness.Authenticator, token string) P {
	options := h.Anonymous().Do("WEBAUTHN.LOGIN_OPTIONS", P{"challenge_token": token}).OK().Data["options"].(P)
	return P{"challenge_token": token, "method": "passkey", "credential": device.Sign(options)}
}

// Whoever has the password, and the device on which its owner is remembered, neither
// adds a way in to an account with a passkey, nor takes that away.
func TestAPasskeyGuardsTheAccount(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		owner, device, remembered := strong(h)
		passkey := owner.Do("WEBAUTHN.LIST_CREDENTIALS", nil).OK().List("items")[0]["credential_id"]
		in := h.Anonymous().Do("AUTH.LOGIN", P{"email": authAddress, "password": harness.Password, "device_token": remembered}).OK()
		thief := taken(h, in)
		for command, params := range map[string]P{
			"AUTH.MFA_SETUP_TOTP":       nil,
			"AUTH.MFA_SETUP_EMAIL":      nil,
			"AUTH.MFA_VERIFY":           {"code": "123456"},
			"WEBAUTHN.REGISTER_OPTIONS": nil,
			"WEBAUTHN.REVOKE":           {"credential_id": passkey},
			"API_KEY.CREATE":            {"name": "k", "scopes": []string{"*"}},
			"APP.REGISTER":              {"name": "App", "slug": "app"},
			"DEVICE.TRUST":              nil,
			"USER.CHANGE_PASSWORD":      {"current_password": harness.Password, "new_password": fresh},
			"USER.CHANGE_EMAIL":         {"new_email": "thief@example.com", "password": harness.Password},
			"USER.DELETE":               {"password": harness.Password},
		} {
			notRecent(t, thief.Do(command, params))
		}
		thief.Do("SESSION.LIST", nil).OK()
		owner.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{"*"}}).OK()
		h.LoginByPasskey(device).OK()
	})
}

// notRecent fails the test unless a call was refused for want of a recent login.
func notRecent(t *testing.T, r *harness.Reply) {
	t.Helper()
	if r.Fails(fault.Auth); r.Failure.Message != "recent sign-in required: call AUTH.REAUTHENTICATE, then try again" {
		t.Errorf("refused with %q", r.Failure.Message)
	}
}

// An account with a passkey proves presence by it: beside the password, or alone, in
// which case no code stands in for the password.
func TestReauthenticateByPasskey(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		_, device, _ := strong(h)
		create := P{"name": "k", "scopes": []string{}}
		for _, params := range []P{{"password": harness.Password}, nil} {
			who := taken(h, login(h, authAddress, harness.Password).OK())
			notRecent(t, who.Do("API_KEY.CREATE", create))
			asked := who.Do("AUTH.REAUTHENTICATE", params).OK()
			same(t, "methods", asked.Strings("methods"), []string{"passkey"})
			pair := h.Anonymous().Do("AUTH.MFA_VERIFY", signed(h, device, asked.String("challenge_token"))).OK()
			h.With(pair.String("access_token")).Do("API_KEY.CREATE", create).OK()
		}
		owner := taken(h, h.LoginByPasskey(device).OK())
		app := owner.EnrollApp()
		asked := owner.Do("AUTH.REAUTHENTICATE", nil).OK()
		same(t, "methods", asked.Strings("methods"), []string{"passkey"})
		token := asked.String("challenge_token")
		authVerify(h, token, "totp", app.Code()).Fails(fault.Auth)
		authVerify(h, token, "recovery_code", app.RecoveryCodes[0]).Fails(fault.Auth)
		h.Anonymous().Do("AUTH.MFA_SEND_CODE", P{"challenge_token": token}).Fails(fault.Validation)
		device.Device.Options.UserNotVerified = true // a touch alone is no password either
		h.Anonymous().Do("AUTH.MFA_VERIFY", signed(h, device, token)).Fails(fault.Auth)
		device.Device.Options.UserNotVerified = false
		h.Anonymous().Do("AUTH.MFA_VERIFY", signed(h, device, token)).OK()
		// The code that was refused was not used up.
		authVerify(h, h.Challenge(authAddress), "totp", app.Code()).OK()
	})
}

// A session in which a passkey was registered has proved presence by it.
func TestRegisteringAPasskeyProvesPresence(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice, other := h.SignUp(authAddress), h.Login(authAddress, harness.Password)
	alice.Passkey()
	alice.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{}}).OK()
	notRecent(t, other.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{}}))
	h.Clock.Advance(16 * time.Minute)
	alice.AccessToken = refresh(h, alice.RefreshToken).OK().String("access_token")
	notRecent(t, alice.Do("API_KEY.CREATE", P{"name": "k", "scopes": []string{}}))
}

// What is required of somebody needs the second factor that they have, so the login asks
// for it first, also on a remembered device.
func TestRequiredActionsAskForTheFactorFirst(t *testing.T) {
	t.Parallel()
	harness.OnReplicas(t, func(t *testing.T, h, _ *harness.Service) {
		owner, device, remembered := strong(h)
		h.Superadmin().Do("USER.SET_REQUIRED_ACTIONS", P{"user_id": owner.UserID, "actions": []string{"enroll_mfa", "change_password"}}).OK()
		in := h.Anonymous().Do("AUTH.LOGIN", P{"email": authAddress, "password": harness.Password, "device_token": remembered}).OK()
		if !in.Bool("mfa_required") {
			t.Fatalf("the login answers %v", in.Data)
		}
		in = h.Anonymous().Do("AUTH.MFA_VERIFY", signed(h, device, in.String("challenge_token"))).OK()
		same(t, "required", in.Strings("required_actions"), []string{"enroll_mfa", "change_password"})
		unfinished := h.With(in.String("challenge_token"))
		unfinished.EnrollApp()
		unfinished.Do("USER.CHANGE_PASSWORD", P{"current_password": harness.Password, "new_password": fresh}).OK()
		h.LoginByPasskey(device).OK().String("access_token")
	})
}

// Somebody who has nothing but a password does what is required in one go.
func TestRequiredActionsWithoutAFactor(t *testing.T) {
	t.Parallel()
	h := harness.New(t)
	alice := h.SignUp(authAddress)
	h.Superadmin().Do("USER.SET_REQUIRED_ACTIONS", P{"user_id": alice.UserID, "actions": []string{"enroll_mfa", "change_password"}}).OK()
	unfinished := h.With(login(h, authAddress, harness.Password).OK().String("challenge_token"))
	unfinished.Passkey()
	unfinished.Do("USER.CHANGE_PASSWORD", P{"current_password": harness.Password, "new_password": fresh}).OK()
}
