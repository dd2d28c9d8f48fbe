package pages

// question is the data of a confirmation page.
type question struct {
	// Name is the object, and Text describes the consequences.
	Name, Text string
	// Action is the address of the form, which submits Value as Field; Button is its
	// label.
	Action, Field, Value, Button string
	// Back is the address of the link to cancel.
	Back string
	// Org is the workspace to act in, if any.
	Org string
}

// askFactor asks for confirmation before a second factor is removed.
func (v *visit) askFactor() error {
	if _, err := v.recent(); err != nil {
		return err
	}
	var held factors
	if err := v.call("MFA.LIST", nil, &held); err != nil {
		return err
	}
	for _, one := range held.Items {
		if one.ID != v.r.PathValue("id") {
			continue
		}
		q := question{
			Name: one.Label(), Text: "Signing in will no longer ask for its codes.",
			Action: "/account/security/factors/remove", Field: "id", Value: one.ID, Button: "Remove", Back: "/account/security",
		}
		if len(held.Items) == 1 {
			q.Text += " This is your last one: your recovery codes are deleted too. Unless you have a passkey, your password alone will sign you in."
		}
		return v.show("question", "Remove this second factor?", q)
	}
	return errNoPage
}

// askCodes asks for confirmation before recovery codes are replaced.
func (v *visit) askCodes() error {
	if _, err := v.recent(); err != nil {
		return err
	}
	var held factors
	if err := v.call("MFA.LIST", nil, &held); err != nil {
		return err
	}
	return v.show("question", "Create new recovery codes?", question{
		Name: plural(held.RecoveryCodesLeft, "code is left", "codes are left") + ".",
		Text: "You get ten new codes. Your current codes stop working.", Action: "/account/security/codes",
		Button: "Create new codes", Back: "/account/security",
	})
}

// askPasskey asks for confirmation before a passkey is removed.
func (v *visit) askPasskey() error {
	if _, err := v.recent(); err != nil {
		return err
	}
	one, err := v.ownPasskey(v.r.PathValue("id"))
	if err != nil {
		return err
	}
	return v.show("question", "Remove this passkey?", question{
		Name: one.Name, Text: "You can no longer sign in with it. Sessions that it started continue.",
		Action: "/account/security/passkeys/revoke", Field: "id", Value: one.ID, Button: "Remove", Back: "/account/security",
	})
}

// askKey asks for confirmation before an API key is revoked.
func (v *visit) askKey() error {
	for next := ""; ; {
		var held list[apiKey]
		if err := v.call("API_KEY.LIST", params{"status": "active", "limit": mostListed}.text("cursor", next), &held); err != nil {
			return err
		}
		for _, one := range held.Items {
			if one.ID == v.r.PathValue("id") {
				return v.show("question", "Revoke this API key?", question{
					Name: one.Name, Text: "Programs that use it stop working immediately. This cannot be undone.",
					Action: "/account/keys/revoke", Field: "id", Value: one.ID, Button: "Revoke", Back: "/account/keys",
				})
			}
		}
		if next = held.NextCursor; next == "" {
			return errNoPage
		}
	}
}

// askIdentity asks for confirmation before a linked account is unlinked.
func (v *visit) askIdentity() error {
	if _, err := v.recent(); err != nil {
		return err
	}
	var linked list[identity]
	if err := v.call("AUTH.SOCIAL_LINKED", nil, &linked); err != nil {
		return err
	}
	for _, one := range linked.Items {
		if one.Provider != v.r.PathValue("provider") {
			continue
		}
		label := named([]string{one.Provider})[0].Label
		q := question{
			Name: label, Text: "You can no longer sign in with it, unless you link it again.",
			Action: "/account/connections/unlink", Field: "provider", Value: one.Provider, Button: "Unlink", Back: "/account/connections",
		}
		if one.Email != "" {
			q.Name += ", " + one.Email
		}
		return v.show("question", "Unlink this account?", q)
	}
	return errNoPage
}
