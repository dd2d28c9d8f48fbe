package pages

import "slices"

func (v *visit) signup() error {
	v.expectReturn()
	on := v.offered()
	if !on.PublicRegistration && v.invitationToken() == "" {
		return v.show("closed", "Create an account", nil)
	}
	v.expect()
	return v.show("signup", "Create your account", loginData{
		Passkeys: slices.Contains(on.Methods, "passkey"), Providers: named(on.Providers),
	})
}

func (v *visit) signupByPassword() error {
	var o outcome
	err := v.ask("AUTH.SIGNUP", params{
		"email": v.form.text("email"), "password": v.form.secret("password"), "display_name": v.form.text("display_name"),
	}.text("invitation_token", v.invitationToken()), &o)
	if err != nil {
		return v.retry(err, (*visit).signup, "email", "password", "display_name")
	}
	return v.welcome(o)
}

// welcome signs in after registration.
func (v *visit) welcome(o outcome) error {
	if v.invitationToken() != "" {
		v.pending.ReturnTo, v.pending.Guest = account, true
		v.state.Done = "Welcome! Your account is ready, and you are a member of the workspace."
		return v.entered(o)
	}
	if len(o.RequiredActions) == 0 && !o.MFARequired {
		v.state.Done = "Welcome! Your account is ready. We sent you an email to confirm your address."
	}
	return v.entered(o)
}

// recover shows the form to request a reset mail, or, with a token, the form to set a
// new password.
func (v *visit) recover() error {
	if v.r.URL.Query().Get("token") == "" && v.form.secret("token") == "" {
		return v.show("recover", "Reset your password", nil)
	}
	v.mailedErrand()
	return v.show("reset", "Choose a new password", v.ticket())
}

// mailReset responds the same for every address.
func (v *visit) mailReset() error {
	address := v.form.text("email")
	if err := v.ask("AUTH.FORGOT_PASSWORD", params{"email": address}, nil); err != nil {
		return v.retry(err, (*visit).recover, "email")
	}
	v.rememberErrand()
	v.pending.Email = address
	return v.redirect("/recover/sent")
}

func (v *visit) resetMailed() error {
	if v.pending.Email == "" {
		return v.redirect("/recover")
	}
	return v.show("sent", "Check your email", v.pending.Email)
}

func (v *visit) resetPassword() error {
	err := v.ask("AUTH.RESET_PASSWORD", params{"token": v.form.secret("token"), "password": v.form.secret("password")}, nil)
	if err != nil {
		return v.retry(err, (*visit).recover, "password")
	}
	v.tokens = tokens{}
	return v.done("Your password was changed, and all sessions were signed out. Sign in with your new password.", "/login")
}

// verify shows the page of a verification link. The token is used by a form rather than
// by GET, because mail scanners follow links.
func (v *visit) verify() error {
	v.mailedErrand()
	return v.show("verify", "Confirm your address", v.ticket())
}

func (v *visit) verifyAddress() error {
	sent := params{"token": v.form.secret("token")}
	if password := v.form.secret("password"); password != "" {
		sent["password"] = password
	}
	err := v.call("AUTH.VERIFY_EMAIL", sent, nil)
	if v.ended(err) {
		v.tokens = tokens{}
		err = v.ask("AUTH.VERIFY_EMAIL", sent, nil)
	}
	if err != nil {
		return v.retry(err, (*visit).verify)
	}
	if slices.Contains(v.tokens.Actions, "verify_email") {
		return v.fulfilled("verify_email")
	}
	if v.tokens.Access == "" {
		return v.done("Your address is confirmed. You can sign in now.", "/login")
	}
	return v.done("Your address is confirmed.", account)
}
