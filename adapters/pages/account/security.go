package account

import (
	"errors"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/mfa"
)

// securityData is the data of the security page.
type securityData struct {
	Factors  kit.Factors
	Passkeys []credential
	// TOTP and Email report which factors are set up.
	TOTP, Email bool
}

func (v *visit) security() error {
	var shown securityData
	if err := v.Call("MFA.LIST", nil, &shown.Factors); err != nil {
		return err
	}
	var held kit.List[credential]
	if err := v.Call("WEBAUTHN.LIST_CREDENTIALS", nil, &held); err != nil {
		return err
	}
	shown.Passkeys = held.Items
	for _, one := range shown.Factors.Items {
		shown.TOTP = shown.TOTP || one.Method == "totp"
		shown.Email = shown.Email || one.Method == "email"
	}
	return v.Show("security", "Security", shown)
}

func (v *visit) whereToChangePassword() error { return v.Redirect("/account/security/password") }

func (v *visit) password() error { return v.guarded("password", "Change your password") }

func (v *visit) changePassword() error {
	p := kit.Params{"current_password": v.Form.Secret("current_password"), "new_password": v.Form.Secret("new_password")}
	if v.Form.Text("keep_sessions") != "" {
		p["keep_sessions"] = true
	}
	if err := v.Call("USER.CHANGE_PASSWORD", p, nil); err != nil {
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
	var begun setup
	if err := v.Call("AUTH.MFA_SETUP_TOTP", kit.Params{}.Text("name", v.Form.Text("name")), &begun); err != nil {
		return v.Retry(err, v.fromWhere())
	}
	return v.showTOTP(begun)
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
	return v.enrolled("totp", again)
}

func (v *visit) beginEmailCodes() error {
	if err := v.Call("AUTH.MFA_SETUP_EMAIL", nil, nil); err != nil {
		return v.Retry(err, v.fromWhere())
	}
	return v.emailCodes()
}

func (v *visit) emailCodes() error {
	return v.Show("totp", "Set up codes by email", setup{Email: true})
}

func (v *visit) confirmEmailCodes() error { return v.enrolled("email", v.emailCodes) }

// enrolled confirms an enrollment by its first code.
func (v *visit) enrolled(method string, again func() error) error {
	var confirmed struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}
	err := v.Call("AUTH.MFA_VERIFY", kit.Params{"method": method, "code": v.Form.Code("code")}, &confirmed)
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
	var made struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}
	if err := v.Call("MFA.RECOVERY_CODE_REGENERATE", nil, &made); err != nil {
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
	if err := v.Call("MFA.DELETE", kit.Params{"factor_id": v.Form.Text("id")}, nil); err != nil {
		return v.Retry(err, v.security)
	}
	return v.Done("The second factor was removed.", "/account/security")
}
