package door

import (
	"net/http"
	"slices"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// methodLabels are the labels of second factors, by method.
func methodLabels() map[client.AuthMethod]string {
	return map[client.AuthMethod]string{
		"totp": "Authenticator app", "email": "Code by email", "recovery_code": "Recovery code",
		"bypass": "Code from the helpdesk", "passkey": "Passkey",
	}
}

// factorData is the data of the second-factor page.
type factorData struct {
	Method client.AuthMethod
	Others []choice
	// Sent reports whether a code was mailed, and Again whether a signed-in person
	// confirms their presence.
	Sent, Again bool
}

// choice is an alternative method.
type choice struct {
	Method client.AuthMethod
	Label  string
}

// factor asks for the second factor. Bypass codes are accepted in the recovery code
// field and not listed, since only the help desk knows whether one exists.
func (v *visit) factor() error {
	if v.Pending.Challenge == "" {
		return v.Redirect("/login")
	}
	chosen := client.AuthMethod(v.Form.Text("method"))
	if chosen == "" {
		chosen = client.AuthMethod(v.Request.URL.Query().Get("method"))
	}
	methods := v.Pending.Methods
	if !slices.Contains(methods, chosen) && chosen != "bypass" && len(methods) > 0 {
		chosen = methods[0]
	}
	shown := factorData{Method: chosen, Sent: v.Request.URL.Query().Get("sent") != "" || v.Request.Method == http.MethodPost, Again: v.Tokens.Access != ""}
	for _, method := range append(slices.Clone(methods), "bypass") {
		if label := methodLabels()[method]; label != "" && method != chosen {
			shown.Others = append(shown.Others, choice{method, label})
		}
	}
	return v.Show("factor", "Verify it's you", shown)
}

func (v *visit) answerFactor() error {
	p := client.AuthMFAVerifyParams{ChallengeToken: new(v.Pending.Challenge), Method: new(client.AuthMethod(v.Form.Text("method")))}
	if sent := v.Form.Secret("credential"); sent != "" {
		p.Credential = kit.Document(sent)
	} else {
		p.Code = new(v.Form.Code("code"))
	}
	answered, err := v.Anyone().AuthMFAVerify(v.Context(), p)
	if kit.Gone(err) {
		return v.startAgain()
	}
	if err != nil {
		return v.Retry(err, v.factor, "code")
	}
	o := kit.Outcome{
		AccessToken: answered.AccessToken, RefreshToken: answered.RefreshToken,
		ChallengeToken: answered.ChallengeToken, RequiredActions: answered.RequiredActions,
	}
	if len(o.RequiredActions) > 0 {
		return v.Entered(o)
	}
	v.Accept(o)
	if v.Form.Text("remember") != "" {
		v.trust()
	}
	if *p.Method == client.AuthMethodRecoveryCode {
		v.countCodes()
	}
	return v.Leave()
}

// countCodes shows the number of remaining recovery codes on the next page. An error
// does not affect the login.
func (v *visit) countCodes() {
	held, err := v.Factors()
	if err != nil {
		return
	}
	v.State.Done = "You used a recovery code. " + kit.Plural(held.RecoveryCodesLeft, "code is", "codes are") + " left."
	if held.FewCodes() {
		v.State.Done += " Create new ones under Security."
	}
}

// startAgain redirects to the start of a login, a presence check, or a workspace
// switch.
func (v *visit) startAgain() error {
	switching := v.Pending.Switching
	v.Pending.Challenge, v.Pending.Methods, v.Pending.Switching = "", nil, false
	const said = "This took too long, or too many wrong codes were entered. Start again."
	if switching {
		return v.Wrong(said, kit.WorkspacesPath)
	}
	if v.Tokens.Access != "" {
		return v.Wrong(said, kit.ConfirmPath)
	}
	return v.Wrong(said, "/login")
}

// trust remembers this browser. An error does not affect the login.
func (v *visit) trust() {
	trusted, err := v.Me().DeviceTrust(v.Context(), client.DeviceTrustParams{})
	if err == nil {
		err = v.Write(kit.DeviceCookie, kit.Remembered{Token: trusted.DeviceToken}, kit.KeepDevice)
	}
	if err != nil {
		v.State.Wrong = "This browser could not be remembered. You will be asked again next time."
	}
}

func (v *visit) sendFactorCode() error {
	_, err := v.Anyone().AuthMFASendCode(v.Context(), client.AuthMFASendCodeParams{ChallengeToken: v.Pending.Challenge, Method: new(client.AuthMFASendCodeParamsMethod("email"))})
	if kit.Gone(err) {
		return v.startAgain()
	}
	if err != nil {
		return v.Retry(err, v.factor)
	}
	return v.Redirect("/login/factor?method=email&sent=1")
}
