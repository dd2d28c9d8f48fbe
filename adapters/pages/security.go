package pages

import (
	"errors"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"

	"gatehouse.internal/domain/mfa"
)

// securityData is the data of the security page.
type securityData struct {
	Factors  factors
	Passkeys []credential
	// TOTP and Email report which factors are set up.
	TOTP, Email bool
}

func (v *visit) security() error {
	var shown securityData
	if err := v.call("MFA.LIST", nil, &shown.Factors); err != nil {
		return err
	}
	var held list[credential]
	if err := v.call("WEBAUTHN.LIST_CREDENTIALS", nil, &held); err != nil {
		return err
	}
	shown.Passkeys = held.Items
	for _, one := range shown.Factors.Items {
		shown.TOTP = shown.TOTP || one.Method == "totp"
		shown.Email = shown.Email || one.Method == "email"
	}
	return v.show("security", "Security", shown)
}

func (v *visit) whereToChangePassword() error { return v.redirect("/account/security/password") }

func (v *visit) password() error { return v.guarded("password", "Change your password") }

func (v *visit) changePassword() error {
	p := params{"current_password": v.form.secret("current_password"), "new_password": v.form.secret("new_password")}
	if v.form.text("keep_sessions") != "" {
		p["keep_sessions"] = true
	}
	if err := v.call("USER.CHANGE_PASSWORD", p, nil); err != nil {
		return v.retry(err, (*visit).password, "current_password", "new_password")
	}
	return v.done("Your password was changed.", "/account/security")
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
	if err := v.call("AUTH.MFA_SETUP_TOTP", params{}.text("name", v.form.text("name")), &begun); err != nil {
		return v.retry(err, v.fromWhere())
	}
	return v.showTOTP(begun)
}

func (v *visit) showTOTP(begun setup) error {
	plain, err := json.Marshal(begun)
	if err != nil {
		return err
	}
	begun.Sealed = v.site.Sealer.Seal(string(plain), setupPlace)
	begun.Secret = grouped(begun.Secret)
	return v.show("totp", "Set up an authenticator app", begun)
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
	again := func(v *visit) error {
		var begun setup
		plain, err := v.site.Sealer.Open(v.form.secret("setup"), setupPlace)
		if err != nil || json.Unmarshal([]byte(plain), &begun) != nil {
			return v.beginTOTP()
		}
		return v.showTOTP(begun)
	}
	return v.enrolled("totp", again)
}

func (v *visit) beginEmailCodes() error {
	if err := v.call("AUTH.MFA_SETUP_EMAIL", nil, nil); err != nil {
		return v.retry(err, v.fromWhere())
	}
	return v.emailCodes()
}

func (v *visit) emailCodes() error {
	return v.show("totp", "Set up codes by email", setup{Email: true})
}

func (v *visit) confirmEmailCodes() error { return v.enrolled("email", (*visit).emailCodes) }

// enrolled confirms an enrollment by its first code.
func (v *visit) enrolled(method string, again func(*visit) error) error {
	var confirmed struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}
	err := v.call("AUTH.MFA_VERIFY", params{"method": method, "code": v.form.code("code")}, &confirmed)
	if gone(err) {
		return v.wrong("That code is no longer valid. Start again.", v.startOfSetup())
	}
	if errors.Is(err, mfa.ErrNoPending) {
		return v.wrong("This setup was already completed or has expired. Start again.", v.startOfSetup())
	}
	if err != nil {
		return v.retry(err, again, "code")
	}
	if len(confirmed.RecoveryCodes) == 0 {
		if len(v.tokens.Actions) > 0 {
			return v.fulfilled("enroll_mfa")
		}
		return v.done("The second factor was added.", "/account/security")
	}
	v.state.Shown = &shown{Codes: confirmed.RecoveryCodes}
	return v.redirect("/account/security/codes")
}

func (v *visit) startOfSetup() string {
	if len(v.tokens.Actions) > 0 {
		return "/login/required"
	}
	return "/account/security"
}

func (v *visit) newRecoveryCodes() error {
	var made struct {
		RecoveryCodes []string `json:"recovery_codes"`
	}
	if err := v.call("MFA.RECOVERY_CODE_REGENERATE", nil, &made); err != nil {
		return v.retry(err, (*visit).security)
	}
	v.state.Shown = &shown{Codes: made.RecoveryCodes}
	return v.redirect("/account/security/codes")
}

// codesData is the data of the recovery codes page.
type codesData struct {
	kept

	Codes []string
	// Next is the address of the link to continue.
	Next string
}

// recoveryCodes shows new recovery codes once. If the enrollment was a required action,
// the login continues from there.
func (v *visit) recoveryCodes() error {
	if v.state.Shown == nil || len(v.state.Shown.Codes) == 0 {
		return v.redirect("/account/security")
	}
	data := codesData{kept: v.keptCodes(v.state.Shown.Codes), Codes: v.state.Shown.Codes, Next: "/account/security"}
	v.state.Shown = nil
	if len(v.tokens.Actions) > 0 {
		var err error
		v.tokens = tokens{}
		if data.Next, err = v.carry("/login"); err != nil {
			return err
		}
	}
	return v.show("codes", "Your recovery codes", data)
}

func (v *visit) removeFactor() error {
	if err := v.call("MFA.DELETE", params{"factor_id": v.form.text("id")}, nil); err != nil {
		return v.retry(err, (*visit).security)
	}
	return v.done("The second factor was removed.", "/account/security")
}

// strengthPath is the endpoint of the password strength meter.
const strengthPath = "/recover/password/strength"

// strengthRating is its response.
type strengthRating struct {
	// Level is the strength from 0 to 4, and Words describes it.
	Level int    `json:"level"`
	Words string `json:"words"`
	// Taken reports whether the password would be accepted.
	Taken bool `json:"taken"`
}

// strength rates a new password. If it cannot, the script shows no rating.
func (v *visit) strength() error {
	var judged struct {
		Acceptable bool     `json:"acceptable"`
		Score      int      `json:"score"`
		Reasons    []string `json:"reasons"`
	}
	err := v.ask("AUTH.CHECK_PASSWORD", params{"password": v.form.secret("password")}.text("email", v.form.text("email")), &judged)
	if err != nil {
		v.status = http.StatusUnprocessableEntity
		return v.answerJSON(v.status, strengthRating{})
	}
	words := []string{"Very easy to guess", "Easy to guess", "Could be better", "Good", "Strong"}
	said := strengthRating{Level: judged.Score, Words: words[min(max(judged.Score, 0), len(words)-1)], Taken: judged.Acceptable}
	if !judged.Acceptable && len(judged.Reasons) > 0 {
		said.Words = sentence(judged.Reasons[0])
	}
	return v.answerJSON(http.StatusOK, said)
}
