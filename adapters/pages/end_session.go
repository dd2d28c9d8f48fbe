package pages

import (
	"errors"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
)

// endSessionPath is where clients send people to sign them out (OpenID Connect RP-Initiated
// Logout 1.0 section 2).
const endSessionPath = "/oauth/end_session"

// logout is an answer of OAUTH.END_SESSION.
type logout struct {
	RedirectTo   string `json:"redirect_to"`
	Confirmation bool   `json:"confirmation_required"`
	Client       struct {
		ID     string `json:"client_id"`
		Name   string `json:"name"`
		Domain string `json:"domain"`
		Origin string `json:"origin"`
	} `json:"client"`

	// Address and State are those of the request, which the answer to the question sends on.
	Address, State string
}

// endSession signs a person out where a client asks for that, or asks the person.
func (v *visit) endSession() error {
	query := v.r.URL.Query()
	asked := params{}
	for _, name := range []string{"id_token_hint", "client_id", "post_logout_redirect_uri", "state"} {
		if len(query[name]) > 1 {
			return v.unauthorized("The application sent " + name + " twice.")
		}
		asked.text(name, query.Get(name))
	}
	found, err := v.endedBy(asked)
	if refused, is := errors.AsType[*fault.Error](err); is && (refused.Code == fault.Validation || refused.Code == fault.NotFound) {
		return v.unauthorized(refused.Message)
	}
	if err != nil {
		return err
	}
	if found.Confirmation {
		v.state.Client = found.Client.Origin
		found.Address, found.State = query.Get("post_logout_redirect_uri"), query.Get("state")
		return v.show("logout", "Sign out", found)
	}
	v.tokens, v.state = tokens{}, state{}
	v.renew()
	return v.goOn(found)
}

// endedBy asks for the end of the session. A session that ended already is none.
func (v *visit) endedBy(asked params) (logout, error) {
	var found logout
	err := v.call("OAUTH.END_SESSION", asked, &found)
	if errors.Is(err, session.ErrEnded) || refusedAs(err, fault.Auth) || refusedAs(err, fault.TokenInvalid) {
		v.tokens = tokens{}
		err = v.ask("OAUTH.END_SESSION", asked, &found)
	}
	return found, err
}

// left goes on after a logout: where a client asked for it, to the address that it names.
func (v *visit) left() error {
	asked := params{}
	for _, name := range []string{"client_id", "post_logout_redirect_uri", "state"} {
		asked.text(name, v.form.secret(name))
	}
	if len(asked) == 0 {
		return v.goOn(logout{})
	}
	found, err := v.endedBy(asked)
	if err != nil {
		return err
	}
	return v.goOn(found)
}

// goOn leads somebody on who is signed out.
func (v *visit) goOn(found logout) error {
	if found.RedirectTo != "" {
		return v.redirect(found.RedirectTo)
	}
	return v.done("You are signed out.", "/login")
}
