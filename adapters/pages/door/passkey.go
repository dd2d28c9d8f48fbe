package door

import (
	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// passkeyLoginOptions returns the options for a login with any passkey.
func (v *visit) passkeyLoginOptions() error {
	return v.Relay("WEBAUTHN.LOGIN_OPTIONS", client.WebAuthnLoginOptionsParams{}, "")
}

// passkeyFactorOptions returns the options for a passkey as second factor.
func (v *visit) passkeyFactorOptions() error {
	return v.Relay("WEBAUTHN.LOGIN_OPTIONS", client.WebAuthnLoginOptionsParams{ChallengeToken: new(v.Pending.Challenge)}, "")
}

func (v *visit) loginByPasskey() error {
	o, err := v.Anyone().WebAuthnLoginVerify(v.Context(), client.WebAuthnLoginVerifyParams{Credential: kit.Document(v.Form.Secret("credential")), ChallengeID: client.Given(v.Form.Text("challenge_id"))})
	if err != nil {
		return v.Retry(err, v.login)
	}
	return v.Entered(kit.Outcome(o))
}

func (v *visit) passkeySignupOptions() error {
	return v.Relay("WEBAUTHN.SIGNUP_OPTIONS", client.WebAuthnSignupOptionsParams{
		Email: v.Form.Text("email"), DisplayName: v.Form.Text("display_name"), InvitationToken: client.Given(v.InvitationToken()),
	}, "")
}

func (v *visit) signupByPasskey() error {
	o, err := v.Anyone().WebAuthnSignupVerify(v.Context(), client.WebAuthnSignupVerifyParams{ChallengeID: v.Form.Text("challenge_id"), Credential: kit.Document(v.Form.Secret("credential"))})
	if err != nil {
		return v.Retry(err, v.signup, "email", "display_name")
	}
	return v.welcome(registered(client.AuthSignupResult(o)))
}
