package door

import "gatehouse.internal/adapters/pages/kit"

// passkeyLoginOptions returns the options for a login with any passkey.
func (v *visit) passkeyLoginOptions() error {
	return v.Relay("WEBAUTHN.LOGIN_OPTIONS", nil, "")
}

// passkeyFactorOptions returns the options for a passkey as second factor.
func (v *visit) passkeyFactorOptions() error {
	return v.Relay("WEBAUTHN.LOGIN_OPTIONS", kit.Params{"challenge_token": v.Pending.Challenge}, "")
}

func (v *visit) loginByPasskey() error {
	var o kit.Outcome
	err := v.Ask("WEBAUTHN.LOGIN_VERIFY", kit.Params{"credential": kit.Document(v.Form.Secret("credential"))}.
		Text("challenge_id", v.Form.Text("challenge_id")), &o)
	if err != nil {
		return v.Retry(err, v.login)
	}
	return v.Entered(o)
}

func (v *visit) passkeySignupOptions() error {
	return v.Relay("WEBAUTHN.SIGNUP_OPTIONS", kit.Params{"email": v.Form.Text("email"), "display_name": v.Form.Text("display_name")}.
		Text("invitation_token", v.InvitationToken()), "")
}

func (v *visit) signupByPasskey() error {
	var o kit.Outcome
	err := v.Ask("WEBAUTHN.SIGNUP_VERIFY", kit.Params{
		"challenge_id": v.Form.Text("challenge_id"), "credential": kit.Document(v.Form.Secret("credential")),
	}, &o)
	if err != nil {
		return v.Retry(err, v.signup, "email", "display_name")
	}
	return v.welcome(o)
}
