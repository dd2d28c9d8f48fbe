package pages

func (v *visit) profile() error { return v.aboutMe("profile", "Your profile") }
func (v *visit) name() error    { return v.aboutMe("name", "Change your name") }
func (v *visit) email() error   { return v.aboutMe("email", "Change your e-mail address") }

// aboutMe shows a page about the person's profile.
func (v *visit) aboutMe(name, title string) error {
	var me profile
	if err := v.call("USER.ME", nil, &me); err != nil {
		return err
	}
	return v.show(name, title, me)
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
	return v.done("We have sent a mail to "+asked.PendingEmail+". Your address changes once you confirm it there.", account)
}

func (v *visit) mailVerification() error {
	var me profile
	if err := v.call("USER.ME", nil, &me); err != nil {
		return err
	}
	if err := v.call("AUTH.RESEND_VERIFICATION", params{"email": me.Email}, nil); err != nil {
		return v.retry(err, (*visit).profile)
	}
	return v.done("We have sent a mail to "+me.Email+".", account)
}

func (v *visit) farewell() error { return v.aboutMe("delete", "Delete your account") }

func (v *visit) deleteAccount() error {
	if err := v.call("USER.DELETE", params{}.text("password", v.form.secret("password")), nil); err != nil {
		return v.retry(err, (*visit).farewell, "password")
	}
	v.tokens, v.state = tokens{}, state{}
	v.renew()
	v.forget(deviceCookie)
	return v.done("Your account was deleted.", "/login")
}

// confirm asks for a proof of presence, before what nobody shall do who merely
// finds an open browser.
func (v *visit) confirm() error {
	if target := local(v.r.URL.Query().Get("return_to")); target != "" {
		v.state.ReturnTo = target
	}
	return v.aboutMe("confirm", "Confirm it's you")
}

func (v *visit) reauthenticate() error {
	var o outcome
	if err := v.call("AUTH.REAUTHENTICATE", params{}.text("password", v.form.secret("password")), &o); err != nil {
		return v.retry(err, (*visit).confirm, "password")
	}
	return v.entered(o)
}
