package pages

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
)

// authorizePath is the authorization endpoint (RFC 6749 section 3.1).
const authorizePath = "/oauth/authorize"

// authorization is the result of OAUTH.AUTHORIZE and OAUTH.CONSENT_DECIDE.
type authorization struct {
	RedirectTo   string   `json:"redirect_to"`
	ResponseMode string   `json:"response_mode"`
	Login        bool     `json:"login_required"`
	Consent      bool     `json:"consent_required"`
	Account      bool     `json:"select_account"`
	RequestID    string   `json:"request_id"`
	LoginHint    string   `json:"login_hint"`
	Client       client   `json:"client"`
	Scopes       []string `json:"scopes"`
}

// client is an application as commands describe it.
type client struct {
	ID        string     `json:"client_id"`
	Name      string     `json:"name"`
	LogoURL   string     `json:"logo_url"`
	PolicyURL string     `json:"policy_url"`
	TermsURL  string     `json:"terms_url"`
	Domain    string     `json:"domain"`
	OnDevice  string     `json:"on_device"`
	Origin    string     `json:"origin"`
	Vouched   app.Origin `json:"vouched_by"`
}

// asker is the application that a sign-in is for, as pages show it.
type asker struct {
	Name string `json:"n,omitzero"`
	// Domain is where the application is; empty for one on a device.
	Domain string `json:"d,omitzero"`
	// Logo is the address of its logo on this site, or empty.
	Logo string `json:"l,omitzero"`
}

// asker returns the application as pages show it. The address of its logo changes with
// the logo, so that browsers may cache it.
func (c client) asker() asker {
	shown := asker{Name: truncated(c.Name), Domain: c.Domain}
	if c.OnDevice != "" {
		shown.Domain = ""
	}
	if c.LogoURL != "" && c.Vouched.Vouched() {
		const enough = 4
		sum := sha256.Sum256([]byte(c.LogoURL))
		shown.Logo = logoPath + c.ID + "?v=" + hex.EncodeToString(sum[:enough])
	}
	return shown
}

// Initial returns the letter shown in place of a logo.
func (a asker) Initial() string { return initial(a.Name) }

// requested returns the parameters of an authorization request. A parameter without a value
// counts as omitted, and unknown ones are ignored (RFC 6749 section 3.1). What cannot be
// passed on is left out and named by malformed, so that the client gets the error.
func requested(query url.Values) params {
	asked := params{}
	for name, values := range query {
		switch {
		case len(values) > 1 && name == "resource":
			if asked["malformed"] == nil {
				asked["malformed"] = oauth.RepeatedResource
			}
		case len(values) > 1:
			asked["malformed"] = oauth.Repeated
		case !utf8.ValidString(values[0]):
			asked["malformed"] = oauth.NoText
		case name == "max_age":
			seconds, err := strconv.Atoi(values[0])
			if err == nil {
				asked[name] = seconds
			} else if values[0] != "" {
				asked["malformed"] = oauth.NoNumber
			}
		case slices.Contains(authorizationParameters(), name):
			asked.text(name, values[0])
		}
	}
	return asked
}

// authorizationParameters returns the parameters of an authorization request that are passed
// on. ui_locales is not: the pages are in English.
func authorizationParameters() []string {
	return []string{
		"client_id", "request_uri", "redirect_uri", "response_type", "response_mode", "scope", "state", "nonce", "code_challenge", "code_challenge_method",
		"resource", "prompt", "login_hint", "id_token_hint", "acr_values", "claims", "request", "dpop_jkt",
	}
}

// authorize handles an authorization request.
func (v *visit) authorize() error {
	var found authorization
	if err := v.callOrAsk("OAUTH.AUTHORIZE", requested(v.r.URL.Query()), &found); err != nil {
		return v.invalidRequest(err)
	}
	return v.authorized(found)
}

// invalidRequest shows why the request of a client is invalid. Other errors are returned.
func (v *visit) invalidRequest(err error) error {
	refused, is := errors.AsType[*fault.Error](err)
	if is && refusedAs(err, fault.Validation, fault.NotFound) {
		return v.unauthorized(refused.Message)
	}
	return err
}

// authorized continues after OAUTH.AUTHORIZE: with the login page, the consent page, or
// the redirect to the client.
func (v *visit) authorized(found authorization) error {
	v.pending = pending{errand: errand{
		ReturnTo: resumed(found.Client.ID, found.RequestID), Hint: found.LoginHint, Client: found.Client.Origin, App: found.Client.asker(),
	}}
	switch {
	case found.Login:
		if v.tokens.Access != "" && len(v.tokens.Actions) == 0 {
			return v.redirect(confirmPath)
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
		return v.show("consent", title, consent{found, me.Email, who.Workspace, scopeLabels(found.Scopes)})
	case found.ResponseMode == "form_post":
		return v.post(found)
	}
	return v.redirect(found.RedirectTo)
}

// resumed returns the address that resumes a pending authorization request.
func resumed(client, request string) string {
	return authorizePath + "?" + url.Values{"client_id": {client}, "request_uri": {request}}.Encode()
}

// switchAccount resumes the request after a login with another account.
func (v *visit) switchAccount() error {
	v.pending.Another, v.pending.Hint = true, ""
	return v.redirect("/login")
}

// consent is the data of the consent page.
type consent struct {
	authorization

	Email, Workspace string
	Words            []string
}

// scopeLabels returns descriptions of scopes for the consent page. Scopes without one of
// their own are left out.
func scopeLabels(scopes []string) []string {
	known := map[string]string{
		"openid": "Know who you are", "profile": "See your name, username (your email address), picture, language and time zone", "email": "See your email address",
		"org": "See your active workspace", "roles": "See your roles", "groups": "See your groups", "offline_access": "Keep access when you are not using the app",
		"phone": "", "address": "",
	}
	said := make([]string, 0, len(scopes))
	for _, scope := range scopes {
		word, ours := known[scope]
		if !ours {
			word = "Act on your behalf: " + scope
		}
		if word != "" {
			said = append(said, word)
		}
	}
	return said
}

// decide submits the person's decision on the consent page. A request that no longer waits for
// this session is opened again.
func (v *visit) decide() error {
	var found authorization
	err := v.call("OAUTH.CONSENT_DECIDE", params{"request_id": v.form.text("request_id"), "approve": v.form.text("approve") == "true"}, &found)
	if isNotRecent(err) {
		return v.confirmed(resumed(v.form.text("client_id"), v.form.text("request_id")))
	}
	if refusedAs(err, fault.NotFound) && v.pending.ReturnTo != "" {
		return v.redirect(v.pending.ReturnTo)
	}
	if err != nil {
		return v.invalidRequest(err)
	}
	return v.authorized(found)
}

// confirmed has the person confirm that it is them before an application gets lasting
// access, and leads them back to an address.
func (v *visit) confirmed(back string) error {
	v.pending.ReturnTo, v.pending.Lasting = back, true
	return v.redirect(confirmPath)
}

// unauthorized shows why a request is refused without a redirect to the client.
func (v *visit) unauthorized(why string) error {
	v.status = http.StatusBadRequest
	return v.show("unauthorized", "Invalid request", why)
}

// formPost is the data of the page that posts the response to the client (OAuth 2.0 Form
// Post Response Mode).
type formPost struct {
	To     string
	Fields url.Values
}

func (v *visit) post(found authorization) error {
	address, fields, err := oauth.Posted(found.RedirectTo)
	if err != nil {
		return fmt.Errorf("read the answer to a client: %w", err)
	}
	return v.show("posting", "One moment", formPost{address, fields})
}

// connectionsData is the data of the connections page: linked upstream accounts, and
// applications with consent.
type connectionsData struct {
	Accounts []connection
	Apps     []consentedApp
}

// consentedApp is an application that the person has consented to.
type consentedApp struct {
	App struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"app"`
	Scopes    []string  `json:"scopes"`
	GrantedAt time.Time `json:"granted_at"`
}

// Said returns descriptions of the granted scopes.
func (c consentedApp) Said() []string { return scopeLabels(c.Scopes) }

// disconnect revokes the consent to an application.
func (v *visit) disconnect() error {
	if err := v.call("OAUTH.CONSENT_REVOKE", params{"app_id": v.form.text("app_id")}, nil); err != nil {
		return v.retry(err, (*visit).connections)
	}
	return v.done("The app was disconnected.", "/account/connections")
}
