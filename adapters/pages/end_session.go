package pages

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
	query := v.r.URL.Query()
	asked := params{}
	for _, name := range []string{"id_token_hint", "client_id", "post_logout_redirect_uri", "state"} {
		if len(query[name]) > 1 {
			return v.unauthorized("The app sent " + name + " more than once.")
		}
		asked.text(name, query.Get(name))
	}
	var found logout
	if err := v.callOrAsk("OAUTH.END_SESSION", asked, &found); err != nil {
		return v.invalidRequest(err)
	}
	if found.Confirmation {
		v.pending.Client = found.Client.Origin
		if found.Client.ID != "" {
			found.Address, found.State = query.Get("post_logout_redirect_uri"), query.Get("state")
		}
		return v.show("logout", "Sign out", found)
	}
	v.tokens, v.state, v.pending = tokens{}, state{}, pending{}
	v.renew()
	return v.signedOut(found)
}

// afterLogout continues after a logout, at the client's address if the form has one.
func (v *visit) afterLogout() error {
	asked := params{}
	for _, name := range []string{"client_id", "post_logout_redirect_uri", "state"} {
		asked.text(name, v.form.secret(name))
	}
	if len(asked) == 0 {
		return v.signedOut(logout{})
	}
	var found logout
	if err := v.callOrAsk("OAUTH.END_SESSION", asked, &found); err != nil {
		return err
	}
	return v.signedOut(found)
}

// signedOut redirects after a logout.
func (v *visit) signedOut(found logout) error {
	if found.RedirectTo != "" {
		return v.redirect(found.RedirectTo)
	}
	return v.done("You are signed out.", "/login")
}
