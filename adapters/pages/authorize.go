package pages

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
)

// authorizePath is where clients send people (RFC 6749 section 3.1).
const authorizePath = "/oauth/authorize"

// authorization is an answer of OAUTH.AUTHORIZE and OAUTH.CONSENT_DECIDE.
type authorization struct {
	RedirectTo   string `json:"redirect_to"`
	ResponseMode string `json:"response_mode"`
	Login        bool   `json:"login_required"`
	Consent      bool   `json:"consent_required"`
	Account      bool   `json:"select_account"`
	RequestID    string `json:"request_id"`
	LoginHint    string `json:"login_hint"`
	Client       struct {
		ID        string `json:"client_id"`
		Name      string `json:"name"`
		LogoURL   string `json:"logo_url"`
		PolicyURL string `json:"policy_url"`
		TermsURL  string `json:"terms_url"`
		Domain    string `json:"domain"`
		Origin    string `json:"origin"`
		Vouched   string `json:"vouched_by"`
	} `json:"client"`
	Scopes []string `json:"scopes"`
}

// requested reads the parameters of an authorization request, or says what is wrong with them. One
// without a value counts as not sent, and those that mean nothing are ignored (RFC 6749 section 3.1).
func requested(query url.Values) (asked params, wrong string) {
	asked = params{}
	for name, values := range query {
		if len(values) > 1 {
			return nil, "The application sent " + name + " twice."
		}
		switch name {
		case "max_age":
			seconds, err := strconv.Atoi(values[0])
			if err == nil {
				asked[name] = seconds
			} else if values[0] != "" {
				return nil, "The application sent a max_age that is no number."
			}
		case "client_id", "request_uri", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge",
			"code_challenge_method", "resource", "prompt", "login_hint", "id_token_hint", "acr_values", "claims", "ui_locales", "request", "dpop_jkt":
			asked.text(name, values[0])
		}
	}
	return asked, ""
}

// authorize answers the authorization request in the address of the page.
func (v *visit) authorize() error {
	asked, wrong := requested(v.r.URL.Query())
	if wrong != "" {
		return v.unauthorized(wrong)
	}
	var found authorization
	err := v.call("OAUTH.AUTHORIZE", asked, &found)
	if errors.Is(err, session.ErrEnded) || refusedAs(err, fault.Auth) || refusedAs(err, fault.TokenInvalid) {
		v.tokens = tokens{}
		err = v.ask("OAUTH.AUTHORIZE", asked, &found)
	}
	if refused, is := errors.AsType[*fault.Error](err); is && (refused.Code == fault.Validation || refused.Code == fault.NotFound) {
		return v.unauthorized(refused.Message)
	}
	if err != nil {
		return err
	}
	return v.authorized(found)
}

func refusedAs(err error, code fault.Code) bool {
	refused, is := errors.AsType[*fault.Error](err)
	return is && refused.Code == code
}

// authorized goes on with what an authorization request came to.
func (v *visit) authorized(found authorization) error {
	v.state.Client = found.Client.Origin
	switch {
	case found.Login:
		v.state.ReturnTo, v.state.Hint = resumed(found.Client.ID, found.RequestID), found.LoginHint
		if v.tokens.Access != "" && len(v.tokens.Actions) == 0 {
			return v.redirect("/account/confirm")
		}
		return v.redirect("/login")
	case found.Consent:
		who, err := v.whoami()
		if err != nil {
			return err
		}
		var me profile
		if err := v.call("USER.ME", nil, &me); err != nil {
			return err
		}
		title := found.Client.Name + " asks to sign you in"
		if found.Account {
			title = "Choose an account"
		}
		return v.show("consent", title, consent{found, me.Email, who.Workspace, words(found.Scopes)})
	case found.ResponseMode == "form_post":
		return v.post(found)
	}
	return v.redirect(found.RedirectTo)
}

// resumed returns the address that opens a request that waits.
func resumed(client, request string) string {
	return authorizePath + "?" + url.Values{"client_id": {client}, "request_uri": {request}}.Encode()
}

// another lets somebody else sign in, in place of who is signed in, and then answer the request.
func (v *visit) another() error {
	v.state.ReturnTo, v.state.Another, v.state.Hint = resumed(v.form.text("client_id"), v.form.text("request_id")), true, ""
	return v.redirect("/login")
}

// consent is what the page to consent shows.
type consent struct {
	authorization

	Email, Workspace string
	Words            []string
}

// words say what scopes are for.
func words(scopes []string) []string {
	known := map[string]string{
		"openid": "Know who you are", "profile": "See your name, picture, language and time zone", "email": "See your e-mail address",
		"org": "See which workspace you act in", "roles": "See your roles in that workspace", "offline_access": "Keep this access while you are away",
		"phone": "", "address": "",
	}
	said := make([]string, 0, len(scopes))
	for _, scope := range scopes {
		word, ours := known[scope]
		if !ours {
			word = "Act for you: " + scope
		}
		if word != "" {
			said = append(said, word)
		}
	}
	return said
}

// decide takes the answer of the person.
func (v *visit) decide() error {
	var found authorization
	err := v.call("OAUTH.CONSENT_DECIDE", params{"request_id": v.form.text("request_id"), "approve": v.form.text("approve") == "true"}, &found)
	if refused, is := errors.AsType[*fault.Error](err); is && (refused.Code == fault.Validation || refused.Code == fault.NotFound) {
		return v.unauthorized(refused.Message)
	}
	if err != nil {
		return err
	}
	return v.authorized(found)
}

// unauthorized says why nobody is sent back to a client.
func (v *visit) unauthorized(why string) error {
	v.status = http.StatusBadRequest
	return v.show("unauthorized", "This did not work", why)
}

// posting is an answer that is posted (OAuth 2.0 Form Post Response Mode).
type posting struct {
	To     string
	Fields url.Values
}

func (v *visit) post(found authorization) error {
	address, fields, err := oauth.Posted(found.RedirectTo)
	if err != nil {
		return fmt.Errorf("read the answer to a client: %w", err)
	}
	return v.show("posting", "One moment", posting{address, fields})
}

// connected is what the page of connections shows: accounts elsewhere, and applications that
// were let in here.
type connected struct {
	Accounts []connection
	Apps     []consentedApp
}

// consentedApp is an application that the person let in.
type consentedApp struct {
	App struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"app"`
	Scopes    []string  `json:"scopes"`
	GrantedAt time.Time `json:"granted_at"`
}

// Said returns its scopes in words.
func (c consentedApp) Said() []string { return words(c.Scopes) }

// disconnect shuts an application out.
func (v *visit) disconnect() error {
	if err := v.call("OAUTH.CONSENT_REVOKE", params{"app_id": v.form.text("app_id")}, nil); err != nil {
		return v.retry(err, (*visit).connections)
	}
	return v.done("The application was disconnected.", "/account/connections")
}
