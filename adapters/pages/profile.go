package pages

import (
	"strings"

	"gatehouse.internal/domain/access"
)

func (v *visit) profile() error { return v.aboutMe("profile", "Your profile") }
func (v *visit) name() error    { return v.aboutMe("name", "Change your name") }
func (v *visit) email() error   { return v.guarded("email", "Change your email address") }

// aboutMe shows a page with the person's profile.
func (v *visit) aboutMe(name, title string) error {
	var me profile
	if err := v.call("USER.ME", nil, &me); err != nil {
		return err
	}
	v.refreshHolder(me)
	return v.show(name, title, me)
}

// passwordData is the data of a page that asks for the password if the account has one.
type passwordData struct {
	Email       string
	HasPassword bool
	// Reason is what the person is about to do, and Lasting whether that gives an
	// application lasting access.
	Reason  string
	Lasting bool
}

// guarded shows a page like prove, whose command also requires a recent login.
func (v *visit) guarded(name, title string) error {
	who, err := v.recent()
	if err != nil {
		return err
	}
	return v.prove(name, title, who)
}

// recent returns the caller. It fails with access.ErrNotRecent if the login is not
// recent, so that the confirmation comes before a form whose command requires it.
func (v *visit) recent() (caller, error) {
	who, err := v.whoami()
	if err != nil {
		return who, err
	}
	if v.site.Clock.Now().Sub(who.AuthTime) > access.RecentFor {
		return who, access.ErrNotRecent
	}
	return who, nil
}

// whoami returns the caller.
func (v *visit) whoami() (caller, error) {
	var who caller
	err := v.call("AUTH.WHOAMI", nil, &who)
	return who, err
}

// prove shows a page that asks for the password if the account has one.
func (v *visit) prove(name, title string, who caller) error {
	var me profile
	if err := v.call("USER.ME", nil, &me); err != nil {
		return err
	}
	v.refreshHolder(me)
	return v.show(name, title, passwordData{Email: me.Email, HasPassword: who.HasPassword, Reason: reason(v.pending.ReturnTo), Lasting: v.pending.Lasting})
}

func (v *visit) changeName() error {
	if err := v.call("USER.UPDATE", params{"display_name": v.form.text("display_name")}, nil); err != nil {
		return v.retry(err, (*visit).name, "display_name")
	}
	return v.done("Your name was changed.", account)
}

func (v *visit) changeEmail() error {
	var asked struct {
		PendingEmail string `json:"pending_email"`
	}
	err := v.call("USER.CHANGE_EMAIL", params{"new_email": v.form.text("new_email")}.text("password", v.form.secret("password")), &asked)
	if err != nil {
		return v.retry(err, (*visit).email, "new_email", "password")
	}
	return v.done("We sent an email to "+asked.PendingEmail+". Your address changes after you confirm it there.", account)
}

func (v *visit) mailVerification() error {
	var me profile
	if err := v.call("USER.ME", nil, &me); err != nil {
		return err
	}
	if err := v.call("AUTH.RESEND_VERIFICATION", params{"email": me.Email}, nil); err != nil {
		return v.retry(err, (*visit).profile)
	}
	return v.done("We sent an email to "+me.Email+".", account)
}

func (v *visit) deletion() error { return v.guarded("delete", "Delete your account") }

func (v *visit) deleteAccount() error {
	if err := v.call("USER.DELETE", params{}.text("password", v.form.secret("password")), nil); err != nil {
		return v.retry(err, (*visit).deletion, "password")
	}
	v.tokens, v.state, v.pending = tokens{}, state{}, pending{}
	v.renew()
	v.forget(deviceCookie)
	return v.done("Your account was deleted.", "/login")
}

// confirmPath is the page to confirm that it is them.
const confirmPath = "/account/confirm"

// confirm asks for the password or a factor again, before sensitive actions.
func (v *visit) confirm() error {
	v.expectReturn()
	who, err := v.whoami()
	if err != nil {
		return err
	}
	title := "Confirm it's you"
	if v.pending.App.Name != "" && !v.pending.Lasting {
		title = v.pending.App.Name + " asks you to sign in again"
	}
	return v.prove("confirm", title, who)
}

func (v *visit) reauthenticate() error {
	var o outcome
	if err := v.call("AUTH.REAUTHENTICATE", params{}.text("password", v.form.secret("password")), &o); err != nil {
		return v.retry(err, (*visit).confirm, "password")
	}
	return v.entered(o)
}

// reason says what a person is about to do, by the page that they go on to after they
// confirm that it is them.
func reason(to string) string {
	path, _, _ := strings.Cut(to, "?")
	for _, one := range []struct{ begins, does string }{
		{"/account/security/password", "change your password"},
		{"/account/security", "change how you sign in"},
		{"/account/connections", "change your linked accounts"},
		{"/account/keys", "create or revoke API keys"},
		{"/account/profile/email", "change your email address"},
		{"/account/profile/delete", "delete your account"},
		{"/account/sessions", "change who can act as you"},
		{workspacesPath, "change who has access to a workspace"},
		{"/account/flows", "change a sign-in flow"},
		{"/account/webhooks", "change a webhook"},
		{devicePath, "let a device act on your behalf"},
	} {
		if path == one.begins || strings.HasPrefix(path, one.begins+"/") {
			return one.does
		}
	}
	return "continue"
}
