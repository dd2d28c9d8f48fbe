package pages

import (
	"fmt"

	"github.com/go-json-experiment/json"
)

func (v *visit) answerJSON(status int, said any) error {
	body, err := json.Marshal(said)
	if err != nil {
		return fmt.Errorf("write an answer: %w", err)
	}
	return v.answer(status, body)
}

// passkeyLoginOptions returns the options for a login with any passkey.
func (v *visit) passkeyLoginOptions() error {
	return v.relay("WEBAUTHN.LOGIN_OPTIONS", nil, "")
}

// passkeyFactorOptions returns the options for a passkey as second factor.
func (v *visit) passkeyFactorOptions() error {
	return v.relay("WEBAUTHN.LOGIN_OPTIONS", params{"challenge_token": v.pending.Challenge}, "")
}

func (v *visit) loginByPasskey() error {
	var o outcome
	err := v.ask("WEBAUTHN.LOGIN_VERIFY", params{"credential": document(v.form.secret("credential"))}.
		text("challenge_id", v.form.text("challenge_id")), &o)
	if err != nil {
		return v.retry(err, (*visit).login)
	}
	return v.entered(o)
}

func (v *visit) passkeySignupOptions() error {
	return v.relay("WEBAUTHN.SIGNUP_OPTIONS", params{"email": v.form.text("email"), "display_name": v.form.text("display_name")}.
		text("invitation_token", v.invitationToken()), "")
}

func (v *visit) signupByPasskey() error {
	var o outcome
	err := v.ask("WEBAUTHN.SIGNUP_VERIFY", params{
		"challenge_id": v.form.text("challenge_id"), "credential": document(v.form.secret("credential")),
	}, &o)
	if err != nil {
		return v.retry(err, (*visit).signup, "email", "display_name")
	}
	return v.welcome(o)
}

// passkeyOptions returns the options to register a passkey. USER.ME comes first, to
// refresh an expired token.
func (v *visit) passkeyOptions() error {
	if err := v.call("USER.ME", nil, nil); err != nil && !v.leads(err) {
		return err
	}
	return v.relay("WEBAUTHN.REGISTER_OPTIONS", nil, v.tokens.Access)
}

func (v *visit) addPasskey() error {
	var added struct {
		Credential credential `json:"credential"`
	}
	err := v.call("WEBAUTHN.REGISTER_VERIFY", params{"credential": document(v.form.secret("credential"))}.
		text("name", v.form.text("name")), &added)
	if err != nil {
		return v.retry(err, v.fromWhere())
	}
	if len(v.tokens.Actions) > 0 {
		return v.fulfilled("enroll_mfa")
	}
	return v.done("Passkey added. You can sign in with it from now on.", "/account/security")
}

// fromWhere returns the page from which the factor is set up.
func (v *visit) fromWhere() func(*visit) error {
	if len(v.tokens.Actions) > 0 {
		return (*visit).required
	}
	return (*visit).security
}

// passkey shows the form to rename a passkey.
func (v *visit) passkey() error {
	return v.passkeyNamed(v.r.PathValue("id"))
}

func (v *visit) passkeyNamed(id string) error {
	one, err := v.ownPasskey(id)
	if err != nil {
		return err
	}
	return v.show("passkey", "Rename passkey", one)
}

// ownPasskey returns a passkey of the person. It fails with errNoPage.
func (v *visit) ownPasskey(id string) (credential, error) {
	var held list[credential]
	if err := v.call("WEBAUTHN.LIST_CREDENTIALS", nil, &held); err != nil {
		return credential{}, err
	}
	for _, one := range held.Items {
		if one.ID == id {
			return one, nil
		}
	}
	return credential{}, errNoPage
}

func (v *visit) renamePasskey() error {
	id := v.form.text("id")
	if err := v.call("WEBAUTHN.UPDATE", params{"credential_id": id, "name": v.form.text("name")}, nil); err != nil {
		return v.retry(err, func(v *visit) error { return v.passkeyNamed(id) }, "name")
	}
	return v.done("The passkey has a new name.", "/account/security")
}

func (v *visit) revokePasskey() error {
	if err := v.call("WEBAUTHN.REVOKE", params{"credential_id": v.form.text("id")}, nil); err != nil {
		return v.retry(err, (*visit).security)
	}
	return v.done("The passkey was removed. Delete it from your device as well. If you lost that device, sign it out under Sessions.", "/account/security")
}
