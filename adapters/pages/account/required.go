package account

import "gatehouse.internal/adapters/pages/kit"

// requiredData is the data of the page of the first required action.
type requiredData struct {
	Action string
	Email  string
	Left   int
}

// required shows the first required action.
func (v *visit) required() error {
	if len(v.Tokens.Actions) == 0 {
		return v.Leave()
	}
	var me kit.Profile
	if err := v.Call("USER.ME", nil, &me); err != nil {
		return err
	}
	return v.Show("required", "One more step", requiredData{Action: v.Tokens.Actions[0], Email: me.Email, Left: len(v.Tokens.Actions)})
}

func (v *visit) requiredPassword() error {
	err := v.Call("USER.CHANGE_PASSWORD", kit.Params{
		"current_password": v.Form.Secret("current_password"), "new_password": v.Form.Secret("new_password"),
	}, nil)
	if err != nil {
		return v.Retry(err, v.required, "current_password", "new_password")
	}
	return v.Fulfilled("change_password")
}

func (v *visit) requiredVerification() error {
	var me kit.Profile
	if err := v.Call("USER.ME", nil, &me); err != nil {
		return err
	}
	if err := v.Ask("AUTH.RESEND_VERIFICATION", kit.Params{"email": me.Email}, nil); err != nil {
		return v.Retry(err, v.required)
	}
	return v.Done("We sent the email again.", "/login/required")
}
