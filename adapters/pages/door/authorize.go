package door

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"unicode/utf8"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/oauth"
)

// authorizePath is the authorization endpoint (RFC 6749 section 3.1).
const authorizePath = "/oauth/authorize"

// authorization is the state of an authorization request.
type authorization struct {
	client.OAuthAuthorizeResult

	Client requester
}

func authorizationOf(found client.OAuthAuthorizeResult) authorization {
	return authorization{found, requesterOf(found.Client)}
}

// requester is an application as commands describe it.
type requester struct{ client.OAuthClient }

func requesterOf(found *client.OAuthClient) requester {
	if found == nil {
		return requester{}
	}
	return requester{*found}
}

// vouched reports whether somebody vouches for the application.
func (c requester) vouched() bool { return app.Origin(c.VouchedBy).Vouched() }

// asker returns the application as pages show it. The address of its logo changes with
// the logo, so that browsers may cache it.
func (c requester) asker() kit.Asker {
	shown := kit.Asker{Name: kit.Truncated(c.Name), Domain: c.Domain}
	if c.OnDevice != "" {
		shown.Domain = ""
	}
	if c.LogoURL != "" && c.vouched() {
		const enough = 4
		sum := sha256.Sum256([]byte(c.LogoURL))
		shown.Logo = kit.LogoPath + c.ClientID + "?v=" + hex.EncodeToString(sum[:enough])
	}
	return shown
}

// requested returns the parameters of an authorization request. A parameter without a value
// counts as omitted, and unknown ones are ignored (RFC 6749 section 3.1). What cannot be
// passed on is left out and named by malformed, so that the client gets the error.
func requested(query url.Values) kit.Params {
	asked := kit.Params{}
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
			asked.Text(name, values[0])
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
	var found client.OAuthAuthorizeResult
	if err := v.MeOrAnyone().Do(v.Context(), "OAUTH.AUTHORIZE", requested(v.Request.URL.Query()), &found); err != nil {
		return v.invalidRequest(err)
	}
	return v.authorized(authorizationOf(found))
}

// invalidRequest shows why the request of a client is invalid. Other errors are returned.
func (v *visit) invalidRequest(err error) error {
	refused, is := errors.AsType[*fault.Error](err)
	if is && kit.RefusedAs(err, fault.Validation, fault.NotFound) {
		return v.unauthorized(refused.Message)
	}
	return err
}

// authorized continues after OAUTH.AUTHORIZE: with the login page, the consent page, or
// the redirect to the client.
func (v *visit) authorized(found authorization) error {
	v.Pending = kit.Pending{Errand: kit.Errand{
		ReturnTo: resumed(found.Client.ClientID, found.RequestID), Hint: found.LoginHint, Client: found.Client.Origin, App: found.Client.asker(),
	}}
	switch {
	case found.LoginRequired:
		if v.Tokens.Access != "" && len(v.Tokens.Actions) == 0 {
			return v.Redirect(kit.ConfirmPath)
		}
		return v.Redirect("/login")
	case found.ConsentRequired:
		who, err := v.Whoami()
		if err != nil {
			return err
		}
		me, err := v.Me().UserMe(v.Context(), client.UserMeParams{})
		if err != nil {
			return err
		}
		title := found.Client.Name + " asks to sign you in"
		if found.SelectAccount {
			title = "Choose an account"
		}
		return v.Show("consent", title, consent{found, me.Email, who.Workspace, kit.ScopeLabels(found.Scopes)})
	case found.ResponseMode == "form_post":
		return v.post(found)
	}
	return v.Redirect(found.RedirectTo)
}

// resumed returns the address that resumes a pending authorization request.
func resumed(clientID, request string) string {
	return authorizePath + "?" + url.Values{"client_id": {clientID}, "request_uri": {request}}.Encode()
}

// switchAccount resumes the request after a login with another account.
func (v *visit) switchAccount() error {
	v.Pending.Another, v.Pending.Hint = true, ""
	return v.Redirect("/login")
}

// consent is the data of the consent page.
type consent struct {
	authorization

	Email, Workspace string
	Words            []string
}

// decide submits the person's decision on the consent page. A request that no longer waits for
// this session is opened again.
func (v *visit) decide() error {
	found, err := v.Me().OAuthConsentDecide(v.Context(), client.OAuthConsentDecideParams{RequestID: v.Form.Text("request_id"), Approve: v.Form.Text("approve") == "true"})
	if kit.IsNotRecent(err) {
		return v.confirmed(resumed(v.Form.Text("client_id"), v.Form.Text("request_id")))
	}
	if kit.RefusedAs(err, fault.NotFound) && v.Pending.ReturnTo != "" {
		return v.Redirect(v.Pending.ReturnTo)
	}
	if err != nil {
		return v.invalidRequest(err)
	}
	return v.authorized(authorizationOf(client.OAuthAuthorizeResult(found)))
}

// confirmed has the person confirm that it is them before an application gets lasting
// access, and leads them back to an address.
func (v *visit) confirmed(back string) error {
	v.Pending.ReturnTo, v.Pending.Lasting = back, true
	return v.Redirect(kit.ConfirmPath)
}

// unauthorized shows why a request is refused without a redirect to the client.
func (v *visit) unauthorized(why string) error {
	v.Status = http.StatusBadRequest
	return v.Show("unauthorized", "Invalid request", why)
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
	return v.Show("posting", "One moment", formPost{address, fields})
}
