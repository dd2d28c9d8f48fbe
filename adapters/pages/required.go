package pages

import "slices"

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
	return v.done("We have sent the mail again.", "/login/required")
}

// fulfilled continues with the next required action, or with the login.
func (v *visit) fulfilled(action string) error {
	v.tokens.Actions = slices.DeleteFunc(slices.Clone(v.tokens.Actions), func(a string) bool { return a == action })
	if len(v.tokens.Actions) > 0 {
		return v.redirect("/login/required")
	}
	v.tokens = tokens{}
	return v.done("All set. Please sign in again.", "/login")
}
