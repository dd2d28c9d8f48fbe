package account

import (
	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// askFactor asks for confirmation before a second factor is removed.
func (v *visit) askFactor() error {
	if _, err := v.Recent(); err != nil {
		return err
	}
	held, err := v.Factors()
	if err != nil {
		return err
	}
	for _, one := range held.Items {
		if one.ID != v.Request.PathValue("id") {
			continue
		}
		q := kit.Question{
			Name: one.Label(), Text: "Signing in will no longer ask for its codes.",
			Action: "/account/security/factors/remove", Field: "id", Value: one.ID, Button: "Remove", Back: "/account/security",
		}
		if len(held.Items) == 1 {
			q.Text += " This is your last one: your recovery codes are deleted too. Unless you have a passkey, your password alone will sign you in."
		}
		return v.Show("question", "Remove this second factor?", q)
	}
	return kit.ErrNoPage
}

// askCodes asks for confirmation before recovery codes are replaced.
func (v *visit) askCodes() error {
	if _, err := v.Recent(); err != nil {
		return err
	}
	held, err := v.Factors()
	if err != nil {
		return err
	}
	return v.Show("question", "Create new recovery codes?", kit.Question{
		Name: kit.Plural(held.RecoveryCodesLeft, "code is left", "codes are left") + ".",
		Text: "You get ten new codes. Your current codes stop working.", Action: "/account/security/codes",
		Button: "Create new codes", Back: "/account/security",
	})
}

// askPasskey asks for confirmation before a passkey is removed.
func (v *visit) askPasskey() error {
	if _, err := v.Recent(); err != nil {
		return err
	}
	one, err := v.ownPasskey(v.Request.PathValue("id"))
	if err != nil {
		return err
	}
	return v.Show("question", "Remove this passkey?", kit.Question{
		Name: one.Name, Text: "You can no longer sign in with it. Sessions that it started continue.",
		Action: "/account/security/passkeys/revoke", Field: "id", Value: one.ID, Button: "Remove", Back: "/account/security",
	})
}

// askKey asks for confirmation before an API key is revoked.
func (v *visit) askKey() error {
	for next := ""; ; {
		held, err := v.Me().APIKeyList(v.Context(), client.APIKeyListParams{Status: new(client.APIKeyStatusActive), Limit: new(kit.MostListed), Cursor: client.Given(next)})
		if err != nil {
			return err
		}
		for _, one := range held.Items {
			if one.ID == v.Request.PathValue("id") {
				return v.Show("question", "Revoke this API key?", kit.Question{
					Name: one.Name, Text: "Programs that use it stop working immediately. This cannot be undone.",
					Action: "/account/keys/revoke", Field: "id", Value: one.ID, Button: "Revoke", Back: "/account/keys",
				})
			}
		}
		if next = held.NextCursor; next == "" {
			return kit.ErrNoPage
		}
	}
}

// askIdentity asks for confirmation before a linked account is unlinked.
func (v *visit) askIdentity() error {
	if _, err := v.Recent(); err != nil {
		return err
	}
	linked, err := v.Me().AuthSocialLinked(v.Context(), client.AuthSocialLinkedParams{})
	if err != nil {
		return err
	}
	for _, one := range linked.Items {
		if one.Provider != v.Request.PathValue("provider") {
			continue
		}
		label := kit.Named([]string{one.Provider})[0].Label
		q := kit.Question{
			Name: label, Text: "You can no longer sign in with it, unless you link it again.",
			Action: "/account/connections/unlink", Field: "provider", Value: one.Provider, Button: "Unlink", Back: "/account/connections",
		}
		if one.Email != "" {
			q.Name += ", " + one.Email
		}
		return v.Show("question", "Unlink this account?", q)
	}
	return kit.ErrNoPage
}
