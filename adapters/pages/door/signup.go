package door

import (
	"slices"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

func (v *visit) signup() error {
	v.ExpectReturn()
	on := v.Offered()
	if !on.PublicRegistration && v.InvitationToken() == "" {
		return v.Show("closed", "Create an account", nil)
	}
	v.expect()
	return v.Show("signup", "Create your account", loginData{
		Passkeys: slices.Contains(on.Methods, "passkey"), Providers: kit.Named(on.Providers),
	})
}

func (v *visit) signupByPassword() error {
	o, err := v.Anyone().AuthSignup(v.Context(), client.AuthSignupParams{Email: v.Form.Text("email"), Password: v.Form.Secret("password"), DisplayName: v.Form.Text("display_name"), InvitationToken: client.Given(v.InvitationToken())})
	if err != nil {
		return v.Retry(err, v.signup, "email", "password", "display_name")
	}
	return v.welcome(registered(o))
}

// registered returns the login that a registration is.
func registered(o client.AuthSignupResult) kit.Outcome {
	return kit.Outcome{
		AccessToken: o.AccessToken, RefreshToken: o.RefreshToken, MFARequired: o.MFARequired,
		ChallengeToken: o.ChallengeToken, Methods: o.Methods, RequiredActions: o.RequiredActions,
	}
}

// welcome signs in after registration.
func (v *visit) welcome(o kit.Outcome) error {
	if v.InvitationToken() != "" {
		v.Pending.ReturnTo, v.Pending.Guest = kit.Account, true
		v.State.Done = "Welcome! Your account is ready, and you are a member of the workspace."
		return v.Entered(o)
	}
	if len(o.RequiredActions) == 0 && !o.MFARequired {
		v.State.Done = "Welcome! Your account is ready. We sent you an email to confirm your address."
	}
	return v.Entered(o)
}

// recover shows the form to request a reset mail, or, with a token, the form to set a
// new password.
func (v *visit) recover() error {
	if v.Request.URL.Query().Get("token") == "" && v.Form.Secret("token") == "" {
		return v.Show("recover", "Reset your password", nil)
	}
	v.MailedErrand()
	return v.Show("reset", "Choose a new password", v.ticket())
}

// mailReset responds the same for every address.
func (v *visit) mailReset() error {
	address := v.Form.Text("email")
	if _, err := v.Anyone().AuthForgotPassword(v.Context(), client.AuthForgotPasswordParams{Email: address}); err != nil {
		return v.Retry(err, v.recover, "email")
	}
	v.RememberErrand()
	v.Pending.Email = address
	return v.Redirect("/recover/sent")
}

func (v *visit) resetMailed() error {
	if v.Pending.Email == "" {
		return v.Redirect("/recover")
	}
	return v.Show("sent", "Check your email", v.Pending.Email)
}

func (v *visit) resetPassword() error {
	_, err := v.Anyone().AuthResetPassword(v.Context(), client.AuthResetPasswordParams{Token: v.Form.Secret("token"), Password: v.Form.Secret("password")})
	if err != nil {
		return v.Retry(err, v.recover, "password")
	}
	v.Tokens = kit.Tokens{}
	return v.Done("Your password was changed, and all sessions were signed out. Sign in with your new password.", "/login")
}

// verify shows the page of a verification link. The token is used by a form rather than
// by GET, because mail scanners follow links.
func (v *visit) verify() error {
	v.MailedErrand()
	return v.Show("verify", "Confirm your address", v.ticket())
}

func (v *visit) verifyAddress() error {
	sent := client.AuthVerifyEmailParams{Token: v.Form.Secret("token"), Password: client.Given(v.Form.Secret("password"))}
	_, err := v.Me().AuthVerifyEmail(v.Context(), sent)
	if v.Ended(err) {
		v.Tokens = kit.Tokens{}
		_, err = v.Anyone().AuthVerifyEmail(v.Context(), sent)
	}
	if err != nil {
		return v.Retry(err, v.verify)
	}
	if slices.Contains(v.Tokens.Actions, "verify_email") {
		return v.Fulfilled("verify_email")
	}
	if v.Tokens.Access == "" {
		return v.Done("Your address is confirmed. You can sign in now.", "/login")
	}
	return v.Done("Your address is confirmed.", kit.Account)
}
