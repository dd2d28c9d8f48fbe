package account

import (
	"time"

	"gatehouse.internal/adapters/pages/kit"
)

// passkeyOptions returns the options to register a passkey. USER.ME comes first, to
// refresh an expired token.
func (v *visit) passkeyOptions() error {
	if err := v.Call("USER.ME", nil, nil); err != nil && !v.Leads(err) {
		return err
	}
	return v.Relay("WEBAUTHN.REGISTER_OPTIONS", nil, v.Tokens.Access)
}

func (v *visit) addPasskey() error {
	var added struct {
		Credential credential `json:"credential"`
	}
	err := v.Call("WEBAUTHN.REGISTER_VERIFY", kit.Params{"credential": kit.Document(v.Form.Secret("credential"))}.
		Text("name", v.Form.Text("name")), &added)
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
func (v *visit) ownPasskey(id string) (credential, error) {
	var held kit.List[credential]
	if err := v.Call("WEBAUTHN.LIST_CREDENTIALS", nil, &held); err != nil {
		return credential{}, err
	}
	for _, one := range held.Items {
		if one.ID == id {
			return one, nil
		}
	}
	return credential{}, kit.ErrNoPage
}

func (v *visit) renamePasskey() error {
	id := v.Form.Text("id")
	if err := v.Call("WEBAUTHN.UPDATE", kit.Params{"credential_id": id, "name": v.Form.Text("name")}, nil); err != nil {
		return v.Retry(err, func() error { return v.passkeyNamed(id) }, "name")
	}
	return v.Done("The passkey has a new name.", "/account/security")
}

func (v *visit) revokePasskey() error {
	if err := v.Call("WEBAUTHN.REVOKE", kit.Params{"credential_id": v.Form.Text("id")}, nil); err != nil {
		return v.Retry(err, v.security)
	}
	return v.Done("The passkey was removed. Delete it from your device as well. If you lost that device, sign it out under Sessions.", "/account/security")
}

type credential struct {
	ID           string    `json:"id"`
	Name         string    `json:"name"`
	BackedUp     bool      `json:"backed_up"`
	SecondFactor bool      `json:"second_factor_only"`
	CreatedAt    time.Time `json:"created_at"`
	LastUsedAt   time.Time `json:"last_used_at"`
}
