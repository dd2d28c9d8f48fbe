package account

import (
	"gatehouse.internal/adapters/client"
)

// requiredData is the data of the page of the first required action.
type requiredData struct {
	Action client.AuthRequiredAction
	Email  string
	Left   int
}

// required shows the first required action.
func (v *visit) required() error {
	if len(v.Tokens.Actions) == 0 {
		return v.Leave()
	}
	me, err := v.Me().UserMe(v.Context(), client.UserMeParams{})
	if err != nil {
		return err
	}
	return v.Show("required", "One more step", requiredData{Action: v.Tokens.Actions[0], Email: me.Email, Left: len(v.Tokens.Actions)})
}

func (v *visit) requiredPassword() error {
	_, err := v.Me().UserChangePassword(v.Context(), client.UserChangePasswordParams{CurrentPassword: v.Form.Secret("current_password"), NewPassword: v.Form.Secret("new_password")})
	if err != nil {
		return v.Retry(err, v.required, "current_password", "new_password")
	}
	return v.Fulfilled("change_password")
}

func (v *visit) requiredVerification() error {
	me, err := v.Me().UserMe(v.Context(), client.UserMeParams{})
	if err != nil {
		return err
	}
	if _, err := v.Anyone().AuthResendVerification(v.Context(), client.AuthResendVerificationParams{Email: me.Email}); err != nil {
		return v.Retry(err, v.required)
	}
	return v.Done("We sent the email again.", "/login/required")
}
