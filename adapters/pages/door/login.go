package door

import (
	"errors"
	"net/http"
	"slices"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/invitation"
)

// loginData is the data of the login page.
type loginData struct {
	Passkeys, Codes, Links bool

	Providers []kit.Provider
	// Signup reports whether registration is open.
	Signup bool
	// Email is the address that a code was mailed to.
	Email string
}

func (v *visit) login() error {
	// Login links in mails use this path.
	if v.Request.URL.Query().Get("token") != "" {
		return v.link()
	}
	v.ExpectReturn()
	if v.Tokens.Access != "" && len(v.Tokens.Actions) == 0 && !v.Pending.Another {
		return v.Leave()
	}
	v.expect()
	on := v.Offered()
	return v.Show("login", "Sign in", loginData{
		Passkeys: slices.Contains(on.Methods, "passkey"), Codes: slices.Contains(on.Methods, "code"), Links: slices.Contains(on.Methods, "link"),
		Providers: kit.Named(on.Providers), Signup: on.PublicRegistration,
	})
}

// expect fills in the address that is invited, or the login_hint of an authorization
// request.
func (v *visit) expect() {
	v.expectGuest()
	if v.Form.Text("email") == "" {
		v.Form.Fill("email", v.Pending.Hint)
	}
}

func (v *visit) loginByPassword() error {
	var trusted kit.Remembered
	v.Read(kit.DeviceCookie, &trusted)
	o, err := v.Anyone().AuthLogin(v.Context(), client.AuthLoginParams{Email: v.Form.Text("email"), Password: v.Form.Secret("password"), DeviceToken: client.Given(trusted.Token)})
	if err != nil {
		return v.Retry(err, v.login, "email", "password")
	}
	return v.Entered(o)
}

func (v *visit) logoutPage() error {
	if v.Tokens.Access == "" {
		return v.Redirect("/login")
	}
	return v.Show("logout", "Sign out", logout{})
}

// logout ends the session. A session that has already ended is no error; a failure to
// end it is.
func (v *visit) logout() error {
	if v.Tokens.Access != "" {
		if _, err := v.Me().AuthLogout(v.Context(), client.AuthLogoutParams{}); err != nil && !v.Ended(err) {
			return err
		}
	}
	v.Tokens, v.State, v.Pending = kit.Tokens{}, kit.State{}, kit.Pending{}
	v.Renew()
	return v.afterLogout()
}

// mailCode mails a login code, or a link where codes are disabled or rate limited. The
// limit on codes could otherwise be used to lock an address out.
func (v *visit) mailCode() error {
	address := v.Form.Text("email")
	begun, err := v.mail(address, "code")
	if kit.RefusedAs(err, fault.Denied, fault.RateLimited) {
		if _, err := v.mail(address, "link"); err == nil {
			v.RememberErrand()
			return v.Done("If an account exists for "+address+", we emailed it a sign-in link. The link works once and expires in 15 minutes.", "/login")
		}
	}
	if err != nil {
		return v.Retry(err, v.login, "email")
	}
	v.Pending.Code, v.Pending.Email = begun, address
	return v.Redirect("/login/code")
}

// mail starts a passwordless login and returns its challenge. It accepts the pending
// invitation as well; without it if the invitation is invalid or for another address.
func (v *visit) mail(address, method string) (string, error) {
	start := client.AuthPasswordlessStartParams{
		Email: address, Method: new(client.AuthPasswordlessStartParamsMethod(method)), InvitationToken: client.Given(v.InvitationToken()),
	}
	begun, err := v.Anyone().AuthPasswordlessStart(v.Context(), start)
	v.Pending.Guest = err == nil && start.InvitationToken != nil
	if start.InvitationToken != nil && (kit.RefusedAs(err, fault.Denied) || errors.Is(err, invitation.ErrGone)) {
		start.InvitationToken = nil
		begun, err = v.Anyone().AuthPasswordlessStart(v.Context(), start)
	}
	return begun.ChallengeID, err
}

// enteredByMail continues after a login by mail, which has also accepted a pending invitation.
func (v *visit) enteredByMail(o kit.Outcome) error {
	if v.Pending.Guest = v.Pending.Guest && v.InvitationToken() != ""; v.Pending.Guest {
		v.Pending.ReturnTo = kit.WorkspacesPath
	}
	return v.Entered(o)
}

func (v *visit) code() error {
	if v.Pending.Code == "" {
		return v.Redirect("/login")
	}
	return v.Show("code", "Check your email", loginData{Email: v.Pending.Email})
}

func (v *visit) loginByCode() error {
	o, err := v.Anyone().AuthPasswordlessVerify(v.Context(), client.AuthPasswordlessVerifyParams{ChallengeID: new(v.Pending.Code), Code: new(v.Form.Code("code"))})
	if kit.Gone(err) {
		v.Pending.Code = ""
		return v.Wrong("That code is no longer valid. Request a new one.", "/login")
	}
	if err != nil {
		return v.Retry(err, v.code, "code")
	}
	return v.enteredByMail(kit.Outcome(o))
}

// link shows the page of a mailed link. The token is used by a form rather than by GET,
// because mail scanners follow links.
func (v *visit) link() error {
	v.MailedErrand()
	return v.Show("link", "Sign in", v.ticket())
}

func (v *visit) loginByLink() error {
	o, err := v.Anyone().AuthPasswordlessVerify(v.Context(), client.AuthPasswordlessVerifyParams{Token: new(v.Form.Secret("token"))})
	if err != nil {
		return v.Retry(err, v.link)
	}
	return v.enteredByMail(kit.Outcome(o))
}

// ticket describes a mailed token.
type ticket struct {
	client.AuthTicketGetResult

	Token string
}

// ticket returns the description of the token in the query or the form. If the lookup
// fails, the token is shown as valid; using it reports the error.
func (v *visit) ticket() ticket {
	token := v.Request.URL.Query().Get("token")
	if v.Request.Method == http.MethodPost {
		token = v.Form.Secret("token")
	}
	found, err := v.Anyone().AuthTicketGet(v.Context(), client.AuthTicketGetParams{Token: token})
	if err != nil {
		found = client.AuthTicketGetResult{Valid: !kit.RefusedAs(err, fault.Validation)}
	}
	return ticket{found, token}
}
