package door

import "gatehouse.internal/adapters/pages/kit"

// endSessionPath is the logout endpoint (OpenID Connect RP-Initiated Logout 1.0 section
// 2).
const endSessionPath = "/oauth/end_session"

// logout is the result of OAUTH.END_SESSION.
type logout struct {
	RedirectTo   string `json:"redirect_to"`
	Confirmation bool   `json:"confirmation_required"`
	Client       client `json:"client"`

	// Address and State are the parameters of the request, resubmitted with the
	// confirmation.
	Address, State string
}

// endSession handles a logout request of a client, after a confirmation where one is
// required.
func (v *visit) endSession() error {
	query := v.Request.URL.Query()
	asked := kit.Params{}
	for _, name := range []string{"id_token_hint", "client_id", "post_logout_redirect_uri", "state"} {
		if len(query[name]) > 1 {
			return v.unauthorized("The app sent " + name + " more than once.")
		}
		asked.Text(name, query.Get(name))
	}
	var found logout
	if err := v.CallOrAsk("OAUTH.END_SESSION", asked, &found); err != nil {
		return v.invalidRequest(err)
	}
	if found.Confirmation {
		v.Pending.Client = found.Client.Origin
		if found.Client.ID != "" {
			found.Address, found.State = query.Get("post_logout_redirect_uri"), query.Get("state")
		}
		return v.Show("logout", "Sign out", found)
	}
	v.Tokens, v.State, v.Pending = kit.Tokens{}, kit.State{}, kit.Pending{}
	v.Renew()
	return v.signedOut(found)
}

// afterLogout continues after a logout, at the client's address if the form has one.
func (v *visit) afterLogout() error {
	asked := kit.Params{}
	for _, name := range []string{"client_id", "post_logout_redirect_uri", "state"} {
		asked.Text(name, v.Form.Secret(name))
	}
	if len(asked) == 0 {
		return v.signedOut(logout{})
	}
	var found logout
	if err := v.CallOrAsk("OAUTH.END_SESSION", asked, &found); err != nil {
		return err
	}
	return v.signedOut(found)
}

// signedOut redirects after a logout.
func (v *visit) signedOut(found logout) error {
	if found.RedirectTo != "" {
		return v.Redirect(found.RedirectTo)
	}
	return v.Done("You are signed out.", "/login")
}
