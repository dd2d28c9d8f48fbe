package pages

import (
	"errors"
	"net/http"
	"net/url"
	"slices"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
)

// account is where people go who wanted to go nowhere in particular.
const account = "/account"

// loginData is what the page to log in shows.
type loginData struct {
	Passkeys, Codes, Links bool

	Providers []provider
	// Signup reports whether people may make accounts by themselves.
	Signup bool
	// Mailed reports whether the next step is the code that was mailed.
	Email string
}

// provider is an upstream account that people may log in with.
type provider struct{ Name, Label string }

func named(providers []string) []provider {
	labels := map[string]string{"google": "Google", "github": "GitHub", "discord": "Discord"}
	shown := make([]provider, 0, len(providers))
	for _, name := range providers {
		label := labels[name]
		if label == "" {
			label = name
		}
		shown = append(shown, provider{name, label})
	}
	return shown
}

// offered asks for the ways to log in. Where that cannot be told at the moment,
// those are offered that every instance has.
func (v *visit) offered() ways {
	found := ways{Methods: []string{"password"}}
	if err := v.ask("AUTH.METHOD_LIST", nil, &found); err != nil {
		return ways{Methods: []string{"password", "passkey", "code"}, PublicRegistration: true}
	}
	return found
}

// front is the address alone, without a path.
func (v *visit) front() error {
	if v.tokens.Access != "" {
		return v.redirect(account)
	}
	return v.redirect("/login")
}

// nowhere is what is shown in place of a page that does not exist.
func (v *visit) nowhere() error {
	v.status = http.StatusNotFound
	return v.show("nowhere", "Page not found", v.tokens.Access != "")
}

func (v *visit) login() error {
	// A mailed link leads here.
	if v.r.URL.Query().Get("token") != "" {
		return v.link()
	}
	if target := local(v.r.URL.Query().Get("return_to")); target != "" {
		v.state.ReturnTo = target
	}
	if v.tokens.Access != "" && len(v.tokens.Actions) == 0 && !v.state.Another {
		return v.leave()
	}
	v.expect()
	on := v.offered()
	return v.show("login", "Sign in", loginData{
		Passkeys: slices.Contains(on.Methods, "passkey"), Codes: slices.Contains(on.Methods, "code"), Links: slices.Contains(on.Methods, "link"),
		Providers: named(on.Providers), Signup: on.PublicRegistration,
	})
}

// expect fills in the address that an application expects to sign in.
func (v *visit) expect() {
	if v.form.text("email") == "" {
		v.form.fill("email", v.state.Hint)
	}
}

func (v *visit) loginByPassword() error {
	var trusted remembered
	v.read(deviceCookie, &trusted)
	var o outcome
	err := v.ask("AUTH.LOGIN", params{"email": v.form.text("email"), "password": v.form.secret("password")}.
		text("device_token", trusted.Token), &o)
	if err != nil {
		return v.retry(err, (*visit).login, "email", "password")
	}
	return v.entered(o)
}

// entered goes on with what a login came to.
func (v *visit) entered(o outcome) error {
	switch {
	case o.MFARequired:
		v.state.Challenge, v.state.Methods, v.state.Switching = o.ChallengeToken, o.Methods, false
		return v.redirect("/login/factor")
	case len(o.RequiredActions) > 0:
		v.renew()
		v.tokens = tokens{Access: o.ChallengeToken, Actions: o.RequiredActions}
		return v.redirect("/login/required")
	default:
		v.accept(o)
		return v.leave()
	}
}

// accept makes somebody logged in. What the browser knew before is forgotten.
func (v *visit) accept(o outcome) {
	v.tokens = tokens{Access: o.AccessToken, Refresh: o.RefreshToken}
	v.state = state{ReturnTo: v.state.ReturnTo, Client: v.state.Client, Done: v.state.Done, Wrong: v.state.Wrong}
	v.renew()
}

// leave goes where the person wanted to go.
func (v *visit) leave() error {
	to := local(v.state.ReturnTo)
	v.state.ReturnTo, v.state.Another = "", false
	if to == "" {
		to = account
	}
	return v.redirect(to)
}

// gone reports whether an error says that what was begun is over, so that it must
// be begun again.
func gone(err error) bool { return errors.Is(err, challenge.ErrGone) }

func (v *visit) logoutPage() error {
	if v.tokens.Access == "" {
		return v.redirect("/login")
	}
	return v.show("logout", "Sign out", logout{})
}

// logout ends the session. One that has ended already is as good; that it could
// not be ended is told.
func (v *visit) logout() error {
	if v.tokens.Access != "" {
		if err := v.call("AUTH.LOGOUT", nil, nil); err != nil && !v.ended(err) {
			return err
		}
	}
	v.tokens, v.state = tokens{}, state{}
	v.renew()
	return v.left()
}

// mailCode has a code mailed, or a link where codes are switched off or have to wait,
// which a stranger can bring about.
func (v *visit) mailCode() error {
	address := v.form.text("email")
	begun, err := v.mail(address, "code")
	failure, isFault := errors.AsType[*fault.Error](err)
	if isFault && (failure.Code == fault.Denied || failure.Code == fault.RateLimited) {
		if _, err := v.mail(address, "link"); err == nil {
			return v.done("If there is an account for "+address+", a link to sign in by is on its way to it. It works once, for 15 minutes.", "/login")
		}
	}
	if err != nil {
		return v.retry(err, (*visit).login, "email")
	}
	v.state.Code, v.state.Email = begun, address
	return v.redirect("/login/code")
}

// mail has something to sign in by mailed, and returns its challenge. Who comes by an
// invitation joins by it; where that is not for the address, or worth nothing any more, they
// sign in without it.
func (v *visit) mail(address, method string) (string, error) {
	var begun struct {
		ChallengeID string `json:"challenge_id"`
	}
	start := params{"email": address, "method": method}.text("invitation_token", v.guestToken())
	err := v.ask("AUTH.PASSWORDLESS_START", start, &begun)
	v.state.Guest = err == nil && start["invitation_token"] != nil
	failure, isFault := errors.AsType[*fault.Error](err)
	if start["invitation_token"] != nil && isFault && (failure.Code == fault.Denied || failure.Code == fault.NotFound) {
		delete(start, "invitation_token")
		err = v.ask("AUTH.PASSWORDLESS_START", start, &begun)
	}
	return begun.ChallengeID, err
}

// mailed goes on with what a login by mail came to. A guest has joined by it, once they gave
// their second factor, and need not accept the invitation any more.
func (v *visit) mailed(o outcome) error {
	if v.state.Guest && v.guestToken() != "" {
		v.state.ReturnTo = workspacesPath
	}
	v.state.Guest = false
	return v.entered(o)
}

func (v *visit) code() error {
	if v.state.Code == "" {
		return v.redirect("/login")
	}
	return v.show("code", "Check your mail", loginData{Email: v.state.Email})
}

func (v *visit) loginByCode() error {
	var o outcome
	err := v.ask("AUTH.PASSWORDLESS_VERIFY", params{"challenge_id": v.state.Code, "code": v.form.code("code")}, &o)
	if gone(err) {
		v.state.Code = ""
		return v.wrong("That code is no longer valid. Please ask for another one.", "/login")
	}
	if err != nil {
		return v.retry(err, (*visit).code, "code")
	}
	return v.mailed(o)
}

// link is where a mailed link leads to. It is used by a button and not by looking
// at it, for mail programs look at links as well.
func (v *visit) link() error {
	return v.show("link", "Sign in", v.ticket())
}

func (v *visit) loginByLink() error {
	var o outcome
	err := v.ask("AUTH.PASSWORDLESS_VERIFY", params{"token": v.form.secret("token")}, &o)
	if err != nil {
		return v.retry(err, (*visit).link)
	}
	return v.mailed(o)
}

// ticket is what a mailed token is for.
type ticket struct {
	Token     string `json:"-"`
	Purpose   string `json:"purpose"`
	Valid     bool   `json:"valid"`
	EmailHint string `json:"email_hint"`
}

// ticket looks at the token of the address or the form, which may be none at all.
// Where nothing can be told at the moment, using it will tell.
func (v *visit) ticket() ticket {
	token := v.r.URL.Query().Get("token")
	if v.r.Method == http.MethodPost {
		token = v.form.secret("token")
	}
	found := ticket{}
	if err := v.ask("AUTH.TICKET_GET", params{"token": token}, &found); err != nil {
		failure, isFault := errors.AsType[*fault.Error](err)
		found = ticket{Valid: !isFault || failure.Code != fault.Validation}
	}
	found.Token = token
	return found
}

func withReturn(path, to string) string { return path + "?return_to=" + url.QueryEscape(to) }
