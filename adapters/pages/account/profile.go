package account

import (
	"strings"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

func (v *visit) profile() error { return v.aboutMe("profile", "Your profile") }

func (v *visit) name() error { return v.aboutMe("name", "Change your name") }

func (v *visit) email() error { return v.guarded("email", "Change your email address") }

// aboutMe shows a page with the person's profile.
func (v *visit) aboutMe(name, title string) error {
	me, err := v.Me().UserMe(v.Context(), client.UserMeParams{})
	if err != nil {
		return err
	}
	v.RefreshHolder(me)
	return v.Show(name, title, me)
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
	who, err := v.Recent()
	if err != nil {
		return err
	}
	return v.prove(name, title, who)
}

// prove shows a page that asks for the password if the account has one.
func (v *visit) prove(name, title string, who kit.Caller) error {
	me, err := v.Me().UserMe(v.Context(), client.UserMeParams{})
	if err != nil {
		return err
	}
	v.RefreshHolder(me)
	return v.Show(name, title, passwordData{Email: me.Email, HasPassword: who.HasPassword, Reason: reason(v.Pending.ReturnTo), Lasting: v.Pending.Lasting})
}

func (v *visit) changeName() error {
	if _, err := v.Me().UserUpdate(v.Context(), client.UserUpdateParams{DisplayName: new(v.Form.Text("display_name"))}); err != nil {
		return v.Retry(err, v.name, "display_name")
	}
	return v.Done("Your name was changed.", kit.Account)
}

func (v *visit) changeEmail() error {
	asked, err := v.Me().UserChangeEmail(v.Context(), client.UserChangeEmailParams{NewEmail: v.Form.Text("new_email"), Password: client.Given(v.Form.Secret("password"))})
	if err != nil {
		return v.Retry(err, v.email, "new_email", "password")
	}
	return v.Done("We sent an email to "+asked.PendingEmail+". Your address changes after you confirm it there.", kit.Account)
}

func (v *visit) mailVerification() error {
	me, err := v.Me().UserMe(v.Context(), client.UserMeParams{})
	if err != nil {
		return err
	}
	if _, err := v.Me().AuthResendVerification(v.Context(), client.AuthResendVerificationParams{Email: me.Email}); err != nil {
		return v.Retry(err, v.profile)
	}
	return v.Done("We sent an email to "+me.Email+".", kit.Account)
}

func (v *visit) deletion() error { return v.guarded("delete", "Delete your account") }

func (v *visit) deleteAccount() error {
	if _, err := v.Me().UserDelete(v.Context(), client.UserDeleteParams{Password: client.Given(v.Form.Secret("password"))}); err != nil {
		return v.Retry(err, v.deletion, "password")
	}
	v.Tokens, v.State, v.Pending = kit.Tokens{}, kit.State{}, kit.Pending{}
	v.Renew()
	v.Forget(kit.DeviceCookie)
	return v.Done("Your account was deleted.", "/login")
}

// confirm asks for the password or a factor again, before sensitive actions.
func (v *visit) confirm() error {
	v.ExpectReturn()
	who, err := v.Whoami()
	if err != nil {
		return err
	}
	title := "Confirm it's you"
	if v.Pending.App.Name != "" && !v.Pending.Lasting {
		title = v.Pending.App.Name + " asks you to sign in again"
	}
	return v.prove("confirm", title, who)
}

func (v *visit) reauthenticate() error {
	o, err := v.Me().AuthReauthenticate(v.Context(), client.AuthReauthenticateParams{Password: client.Given(v.Form.Secret("password"))})
	if err != nil {
		return v.Retry(err, v.confirm, "password")
	}
	return v.Entered(kit.Outcome(o))
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
		{kit.WorkspacesPath, "change who has access to a workspace"},
		{"/account/flows", "change a sign-in flow"},
		{"/account/webhooks", "change a webhook"},
		{kit.DevicePath, "let a device act on your behalf"},
	} {
		if path == one.begins || strings.HasPrefix(path, one.begins+"/") {
			return one.does
		}
	}
	return "continue"
}
