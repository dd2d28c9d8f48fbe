package account

import (
	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// passkeyOptions returns the options to register a passkey. USER.ME comes first, to
// refresh an expired token.
func (v *visit) passkeyOptions() error {
	if _, err := v.Me().UserMe(v.Context(), client.UserMeParams{}); err != nil && !v.Leads(err) {
		return err
	}
	return v.Relay("WEBAUTHN.REGISTER_OPTIONS", client.WebAuthnRegisterOptionsParams{}, v.Tokens.Access)
}

func (v *visit) addPasskey() error {
	_, err := v.Me().WebAuthnRegisterVerify(v.Context(), client.WebAuthnRegisterVerifyParams{Credential: kit.Document(v.Form.Secret("credential")), Name: client.Given(v.Form.Text("name"))})
	if err != nil {
		return v.Retry(err, v.fromWhere())
	}
	if len(v.Tokens.Actions) > 0 {
		return v.Fulfilled("enroll_mfa")
	}
	return v.Done("Passkey added. You can sign in with it from now on.", "/account/security")
}

// fromWhere returns the page from which the factor is set up.
func (v *visit) fromWhere() func() error {
	if len(v.Tokens.Actions) > 0 {
		return v.required
	}
	return v.security
}

// passkey shows the form to rename a passkey.
func (v *visit) passkey() error {
	return v.passkeyNamed(v.Request.PathValue("id"))
}

func (v *visit) passkeyNamed(id string) error {
	one, err := v.ownPasskey(id)
	if err != nil {
		return err
	}
	return v.Show("passkey", "Rename passkey", one)
}

// ownPasskey returns a passkey of the person. It fails with kit.ErrNoPage.
func (v *visit) ownPasskey(id string) (client.WebAuthnCredential, error) {
	held, err := v.Me().WebAuthnListCredentials(v.Context(), client.WebAuthnListCredentialsParams{})
	if err != nil {
		return client.WebAuthnCredential{}, err
	}
	for _, one := range held.Items {
		if one.ID == id {
			return one, nil
		}
	}
	return client.WebAuthnCredential{}, kit.ErrNoPage
}

func (v *visit) renamePasskey() error {
	id := v.Form.Text("id")
	if _, err := v.Me().WebAuthnUpdate(v.Context(), client.WebAuthnUpdateParams{CredentialID: id, Name: v.Form.Text("name")}); err != nil {
		return v.Retry(err, func() error { return v.passkeyNamed(id) }, "name")
	}
	return v.Done("The passkey has a new name.", "/account/security")
}

func (v *visit) revokePasskey() error {
	if _, err := v.Me().WebAuthnRevoke(v.Context(), client.WebAuthnRevokeParams{CredentialID: v.Form.Text("id")}); err != nil {
		return v.Retry(err, v.security)
	}
	return v.Done("The passkey was removed. Delete it from your device as well. If you lost that device, sign it out under Sessions.", "/account/security")
}
