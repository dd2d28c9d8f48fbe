package door

import (
	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// endSessionPath is the logout endpoint (OpenID Connect RP-Initiated Logout 1.0 section
// 2).
const endSessionPath = "/oauth/end_session"

// logout is the data of the page to sign out.
type logout struct {
	Client requester
	// Address and State are the parameters of the request, resubmitted with the
	// confirmation.
	Address, State string
}

// endSession handles a logout request of a client, after a confirmation where one is
// required.
func (v *visit) endSession() error {
	query := v.Request.URL.Query()
	for _, name := range []string{"id_token_hint", "client_id", "post_logout_redirect_uri", "state"} {
		if len(query[name]) > 1 {
			return v.unauthorized("The app sent " + name + " more than once.")
		}
	}
	found, err := v.MeOrAnyone().OAuthEndSession(v.Context(), endSessionParams(query.Get))
	if err != nil {
		return v.invalidRequest(err)
	}
	if found.ConfirmationRequired {
		by := requesterOf(found.Client)
		v.Pending.Client = by.Origin
		shown := logout{Client: by}
		if by.ClientID != "" {
			shown.Address, shown.State = query.Get("post_logout_redirect_uri"), query.Get("state")
		}
		return v.Show("logout", "Sign out", shown)
	}
	v.Tokens, v.State, v.Pending = kit.Tokens{}, kit.State{}, kit.Pending{}
	v.Renew()
	return v.signedOut(found.RedirectTo)
}

// endSessionParams are the parameters of a logout, from a query or a form.
func endSessionParams(value func(string) string) client.OAuthEndSessionParams {
	return client.OAuthEndSessionParams{
		IDTokenHint: client.Given(value("id_token_hint")), ClientID: client.Given(value("client_id")),
		PostLogoutRedirectURI: client.Given(value("post_logout_redirect_uri")), State: client.Given(value("state")),
	}
}

// afterLogout continues after a logout, at the client's address if the form has one.
func (v *visit) afterLogout() error {
	asked := endSessionParams(v.Form.Secret)
	asked.IDTokenHint = nil
	if asked == (client.OAuthEndSessionParams{}) {
		return v.signedOut("")
	}
	found, err := v.MeOrAnyone().OAuthEndSession(v.Context(), asked)
	if err != nil {
		return err
	}
	return v.signedOut(found.RedirectTo)
}

// signedOut redirects after a logout: to an address of the client, if there is one.
func (v *visit) signedOut(to string) error {
	if to != "" {
		return v.Redirect(to)
	}
	return v.Done("You are signed out.", "/login")
}
