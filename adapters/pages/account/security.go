package account

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/mfa"
)

// securityData is the data of the security page.
type securityData struct {
	Factors  kit.Factors
	Passkeys []client.WebAuthnCredential
	// TOTP and Email report which factors are set up.
	TOTP, Email bool
}

func (v *visit) security() error {
	factors, err := v.Factors()
	if err != nil {
		return err
	}
	held, err := v.Me().WebAuthnListCredentials(v.Context(), client.WebAuthnListCredentialsParams{})
	if err != nil {
		return err
	}
	shown := securityData{Factors: factors, Passkeys: held.Items}
	for _, one := range shown.Factors.Items {
		shown.TOTP = shown.TOTP || one.Method == "totp"
		shown.Email = shown.Email || one.Method == "email"
	}
	return v.Show("security", "Security", shown)
}

func (v *visit) whereToChangePassword() error { return v.Redirect("/account/security/password") }

func (v *visit) password() error { return v.guarded("password", "Change your password") }

func (v *visit) changePassword() error {
	_, err := v.Me().UserChangePassword(v.Context(), client.UserChangePasswordParams{
		CurrentPassword: v.Form.Secret("current_password"), NewPassword: v.Form.Secret("new_password"), KeepSessions: client.Given(v.Form.Text("keep_sessions") != ""),
	})
	if err != nil {
		return v.Retry(err, v.password, "current_password", "new_password")
	}
	return v.Done("Your password was changed.", "/account/security")
}

// setup is a pending enrollment. The form carries it sealed, so that it can be shown
// again after a wrong code.
type setup struct {
	Secret  string `json:"secret"`
	Address string `json:"otpauth_url"`
	Picture string `json:"qr_png"`
	// Sealed is the encrypted enrollment for the form.
	Sealed string `json:"-"`
	Email  bool   `json:"-"`
}

const setupPlace = "pages/enrollment"

func (v *visit) beginTOTP() error {
	begun, err := v.Me().AuthMFASetupTOTP(v.Context(), client.AuthMFASetupTOTPParams{Name: client.Given(v.Form.Text("name"))})
	if err != nil {
		return v.Retry(err, v.fromWhere())
	}
	return v.showTOTP(setup{Secret: begun.Secret, Address: begun.OTPAuthURL, Picture: begun.QRPNG})
}

func (v *visit) showTOTP(begun setup) error {
	plain, err := json.Marshal(begun)
	if err != nil {
		return err
	}
	begun.Sealed = v.Site.Sealer.Seal(string(plain), setupPlace)
	begun.Secret = grouped(begun.Secret)
	return v.Show("totp", "Set up an authenticator app", begun)
}

// grouped inserts spaces into a secret to make it easier to type.
func grouped(text string) string {
	const size = 4
	var out strings.Builder
	for i, r := range text {
		if i > 0 && i%size == 0 {
			out.WriteByte(' ')
		}
		out.WriteRune(r)
	}
	return out.String()
}

func (v *visit) confirmTOTP() error {
	again := func() error {
		var begun setup
		plain, err := v.Site.Sealer.Open(v.Form.Secret("setup"), setupPlace)
		if err != nil || json.Unmarshal([]byte(plain), &begun) != nil {
			return v.beginTOTP()
		}
		return v.showTOTP(begun)
	}
	return v.enrolled(client.AuthMethodTOTP, again)
}

func (v *visit) beginEmailCodes() error {
	if _, err := v.Me().AuthMFASetupEmail(v.Context(), client.AuthMFASetupEmailParams{}); err != nil {
		return v.Retry(err, v.fromWhere())
	}
	return v.emailCodes()
}

func (v *visit) emailCodes() error {
	return v.Show("totp", "Set up codes by email", setup{Email: true})
}

func (v *visit) confirmEmailCodes() error { return v.enrolled(client.AuthMethodEmail, v.emailCodes) }

// enrolled confirms an enrollment by its first code.
func (v *visit) enrolled(method client.AuthMethod, again func() error) error {
	confirmed, err := v.Me().AuthMFAVerify(v.Context(), client.AuthMFAVerifyParams{Method: new(method), Code: new(v.Form.Code("code"))})
	if kit.Gone(err) {
		return v.Wrong("That code is no longer valid. Start again.", v.startOfSetup())
	}
	if errors.Is(err, mfa.ErrNoPending) {
		return v.Wrong("This setup was already completed or has expired. Start again.", v.startOfSetup())
	}
	if err != nil {
		return v.Retry(err, again, "code")
	}
	if len(confirmed.RecoveryCodes) == 0 {
		if len(v.Tokens.Actions) > 0 {
			return v.Fulfilled("enroll_mfa")
		}
		return v.Done("The second factor was added.", "/account/security")
	}
	v.State.Shown = &kit.Shown{Codes: confirmed.RecoveryCodes}
	return v.Redirect("/account/security/codes")
}

func (v *visit) startOfSetup() string {
	if len(v.Tokens.Actions) > 0 {
		return "/login/required"
	}
	return "/account/security"
}

func (v *visit) newRecoveryCodes() error {
	made, err := v.Me().MFARecoveryCodeRegenerate(v.Context(), client.MFARecoveryCodeRegenerateParams{})
	if err != nil {
		return v.Retry(err, v.security)
	}
	v.State.Shown = &kit.Shown{Codes: made.RecoveryCodes}
	return v.Redirect("/account/security/codes")
}

// codesData is the data of the recovery codes page.
type codesData struct {
	kit.Kept

	Codes []string
	// Next is the address of the link to continue.
	Next string
}

// recoveryCodes shows new recovery codes once. If the enrollment was a required action,
// the login continues from there.
func (v *visit) recoveryCodes() error {
	if v.State.Shown == nil || len(v.State.Shown.Codes) == 0 {
		return v.Redirect("/account/security")
	}
	data := codesData{Kept: v.KeptCodes(v.State.Shown.Codes), Codes: v.State.Shown.Codes, Next: "/account/security"}
	v.State.Shown = nil
	if len(v.Tokens.Actions) > 0 {
		var err error
		v.Tokens = kit.Tokens{}
		if data.Next, err = v.Carry("/login"); err != nil {
			return err
		}
	}
	return v.Show("codes", "Your recovery codes", data)
}

func (v *visit) removeFactor() error {
	if _, err := v.Me().MFADelete(v.Context(), client.MFADeleteParams{FactorID: v.Form.Text("id")}); err != nil {
		return v.Retry(err, v.security)
	}
	return v.Done("The second factor was removed.", "/account/security")
}
