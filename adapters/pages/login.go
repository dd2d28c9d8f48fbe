package pages

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/invitation"
)

// account is the page after a login without a return target.
const account = "/account"

// loginData is the data of the login page.
type loginData struct {
	Passkeys, Codes, Links bool

	Providers []provider
	// Signup reports whether registration is open.
	Signup bool
	// Email is the address that a code was mailed to.
	Email string
}

// provider is an upstream identity provider.
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

// offered returns the enabled login methods, or a default selection if they cannot be
// determined.
func (v *visit) offered() ways {
	found := ways{Methods: []string{"password"}}
	if err := v.ask("AUTH.METHOD_LIST", nil, &found); err != nil {
		return ways{Methods: []string{"password", "passkey", "code"}, PublicRegistration: true}
	}
	return found
}

// root redirects the root path.
func (v *visit) root() error {
	if v.tokens.Access != "" {
		return v.redirect(account)
	}
	return v.redirect("/login")
}

// notFound shows the page for unknown paths.
func (v *visit) notFound() error {
	v.status = http.StatusNotFound
	return v.show("nowhere", "Page not found", v.tokens.Access != "")
}

func (v *visit) login() error {
	// Login links in mails use this path.
	if v.r.URL.Query().Get("token") != "" {
		return v.link()
	}
	v.expectReturn()
	if v.tokens.Access != "" && len(v.tokens.Actions) == 0 && !v.pending.Another {
		return v.leave()
	}
	v.expect()
	on := v.offered()
	return v.show("login", "Sign in", loginData{
		Passkeys: slices.Contains(on.Methods, "passkey"), Codes: slices.Contains(on.Methods, "code"), Links: slices.Contains(on.Methods, "link"),
		Providers: named(on.Providers), Signup: on.PublicRegistration,
	})
}

// expect fills in the address that is invited, or the login_hint of an authorization
// request.
func (v *visit) expect() {
	v.expectGuest()
	if v.form.text("email") == "" {
		v.form.fill("email", v.pending.Hint)
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

// entered continues after a login: with the second factor, required actions, or the
// return target.
func (v *visit) entered(o outcome) error {
	switch {
	case o.MFARequired:
		v.pending.Challenge, v.pending.Methods, v.pending.Switching = o.ChallengeToken, o.Methods, false
		return v.redirect("/login/factor")
	case len(o.RequiredActions) > 0:
		v.rememberErrand()
		v.pending.Challenge, v.pending.Methods = "", nil
		v.tokens = tokens{Access: o.ChallengeToken, Actions: o.RequiredActions}
		return v.redirect("/login/required")
	default:
		v.accept(o)
		return v.leave()
	}
}

// accept stores the tokens of a login, and drops what was pending but the errand.
func (v *visit) accept(o outcome) {
	v.tokens = tokens{Access: o.AccessToken, Refresh: o.RefreshToken}
	v.state = state{ID: v.state.ID, Done: v.state.Done, Wrong: v.state.Wrong}
	v.pending = pending{errand: v.pending.errand}
}

// leave redirects to the return target, in the workspace whose invitation the sign-in
// has accepted.
func (v *visit) leave() error {
	to, org := cmp.Or(v.pending.ReturnTo, account), v.pending.Org
	joined := v.pending.Guest
	v.pending = pending{}
	if joined {
		return v.enterWorkspace(org, to)
	}
	return v.redirect(to)
}

// gone reports whether a challenge has ended, so that the login must start again.
func gone(err error) bool { return errors.Is(err, challenge.ErrGone) }

func (v *visit) logoutPage() error {
	if v.tokens.Access == "" {
		return v.redirect("/login")
	}
	return v.show("logout", "Sign out", logout{})
}

// logout ends the session. A session that has already ended is no error; a failure to
// end it is.
func (v *visit) logout() error {
	if v.tokens.Access != "" {
		if err := v.call("AUTH.LOGOUT", nil, nil); err != nil && !v.ended(err) {
			return err
		}
	}
	v.tokens, v.state, v.pending = tokens{}, state{}, pending{}
	v.renew()
	return v.afterLogout()
}

// mailCode mails a login code, or a link where codes are disabled or rate limited. The
// limit on codes could otherwise be used to lock an address out.
func (v *visit) mailCode() error {
	address := v.form.text("email")
	begun, err := v.mail(address, "code")
	if refusedAs(err, fault.Denied, fault.RateLimited) {
		if _, err := v.mail(address, "link"); err == nil {
			v.rememberErrand()
			return v.done("If an account exists for "+address+", we emailed it a sign-in link. The link works once and expires in 15 minutes.", "/login")
		}
	}
	if err != nil {
		return v.retry(err, (*visit).login, "email")
	}
	v.pending.Code, v.pending.Email = begun, address
	return v.redirect("/login/code")
}

// mail starts a passwordless login and returns its challenge. It accepts the pending
// invitation as well; without it if the invitation is invalid or for another address.
func (v *visit) mail(address, method string) (string, error) {
	var begun struct {
		ChallengeID string `json:"challenge_id"`
	}
	start := params{"email": address, "method": method}.text("invitation_token", v.invitationToken())
	err := v.ask("AUTH.PASSWORDLESS_START", start, &begun)
	v.pending.Guest = err == nil && start["invitation_token"] != nil
	if start["invitation_token"] != nil && (refusedAs(err, fault.Denied) || errors.Is(err, invitation.ErrGone)) {
		delete(start, "invitation_token")
		err = v.ask("AUTH.PASSWORDLESS_START", start, &begun)
	}
	return begun.ChallengeID, err
}

// enteredByMail continues after a login by mail, which has also accepted a pending invitation.
func (v *visit) enteredByMail(o outcome) error {
	if v.pending.Guest = v.pending.Guest && v.invitationToken() != ""; v.pending.Guest {
		v.pending.ReturnTo = workspacesPath
	}
	return v.entered(o)
}

func (v *visit) code() error {
	if v.pending.Code == "" {
		return v.redirect("/login")
	}
	return v.show("code", "Check your email", loginData{Email: v.pending.Email})
}

func (v *visit) loginByCode() error {
	var o outcome
	err := v.ask("AUTH.PASSWORDLESS_VERIFY", params{"challenge_id": v.pending.Code, "code": v.form.code("code")}, &o)
	if gone(err) {
		v.pending.Code = ""
		return v.wrong("That code is no longer valid. Request a new one.", "/login")
	}
	if err != nil {
		return v.retry(err, (*visit).code, "code")
	}
	return v.enteredByMail(o)
}

// link shows the page of a mailed link. The token is used by a form rather than by GET,
// because mail scanners follow links.
func (v *visit) link() error {
	v.mailedErrand()
	return v.show("link", "Sign in", v.ticket())
}

func (v *visit) loginByLink() error {
	var o outcome
	err := v.ask("AUTH.PASSWORDLESS_VERIFY", params{"token": v.form.secret("token")}, &o)
	if err != nil {
		return v.retry(err, (*visit).link)
	}
	return v.enteredByMail(o)
}

// ticket describes a mailed token.
type ticket struct {
	Token     string `json:"-"`
	Purpose   string `json:"purpose"`
	Valid     bool   `json:"valid"`
	EmailHint string `json:"email_hint"`
}

// ticket returns the description of the token in the query or the form. If the lookup
// fails, the token is shown as valid; using it reports the error.
func (v *visit) ticket() ticket {
	token := v.r.URL.Query().Get("token")
	if v.r.Method == http.MethodPost {
		token = v.form.secret("token")
	}
	found := ticket{}
	if err := v.ask("AUTH.TICKET_GET", params{"token": token}, &found); err != nil {
		found = ticket{Valid: !refusedAs(err, fault.Validation)}
	}
	found.Token = token
	return found
}

func withReturn(path, to string) string { return path + "?return_to=" + url.QueryEscape(to) }

// requiredData is the data of the page of the first required action.
type requiredData struct {
	Action string
	Email  string
	Left   int
}

// required shows the first required action.
func (v *visit) required() error {
	if len(v.tokens.Actions) == 0 {
		return v.leave()
	}
	var me profile
	if err := v.call("USER.ME", nil, &me); err != nil {
		return err
	}
	return v.show("required", "One more step", requiredData{Action: v.tokens.Actions[0], Email: me.Email, Left: len(v.tokens.Actions)})
}

func (v *visit) requiredPassword() error {
	err := v.call("USER.CHANGE_PASSWORD", params{
		"current_password": v.form.secret("current_password"), "new_password": v.form.secret("new_password"),
	}, nil)
	if err != nil {
		return v.retry(err, (*visit).required, "current_password", "new_password")
	}
	return v.fulfilled("change_password")
}

func (v *visit) requiredVerification() error {
	var me profile
	if err := v.call("USER.ME", nil, &me); err != nil {
		return err
	}
	if err := v.ask("AUTH.RESEND_VERIFICATION", params{"email": me.Email}, nil); err != nil {
		return v.retry(err, (*visit).required)
	}
	return v.done("We sent the email again.", "/login/required")
}

// fulfilled continues with the next required action, or with the login.
func (v *visit) fulfilled(action string) error {
	v.tokens.Actions = slices.DeleteFunc(slices.Clone(v.tokens.Actions), func(a string) bool { return a == action })
	if len(v.tokens.Actions) > 0 {
		return v.redirect("/login/required")
	}
	v.tokens = tokens{}
	return v.done("All set. Sign in again.", "/login")
}
