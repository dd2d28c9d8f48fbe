package pages

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
)

// methodLabels are the labels of second factors, by method.
func methodLabels() map[string]string {
	return map[string]string{
		"totp": "Authenticator app", "email": "Code by email", "recovery_code": "Recovery code",
		"bypass": "Code from the helpdesk", "passkey": "Passkey",
	}
}

// factorData is the data of the second-factor page.
type factorData struct {
	Method string
	Others []choice
	// Sent reports whether a code was mailed, and Again whether a signed-in person
	// confirms their presence.
	Sent, Again bool
}

// choice is an alternative method.
type choice struct{ Method, Label string }

// factor asks for the second factor. Bypass codes are accepted in the recovery code
// field and not listed, since only the help desk knows whether one exists.
func (v *visit) factor() error {
	if v.pending.Challenge == "" {
		return v.redirect("/login")
	}
	chosen := v.form.text("method")
	if chosen == "" {
		chosen = v.r.URL.Query().Get("method")
	}
	methods := v.pending.Methods
	if !slices.Contains(methods, chosen) && chosen != "bypass" && len(methods) > 0 {
		chosen = methods[0]
	}
	shown := factorData{Method: chosen, Sent: v.r.URL.Query().Get("sent") != "" || v.r.Method == http.MethodPost, Again: v.tokens.Access != ""}
	for _, method := range append(slices.Clone(methods), "bypass") {
		if label := methodLabels()[method]; label != "" && method != chosen {
			shown.Others = append(shown.Others, choice{method, label})
		}
	}
	return v.show("factor", "Verify it's you", shown)
}

func (v *visit) answerFactor() error {
	p := params{"challenge_token": v.pending.Challenge, "method": v.form.text("method")}
	if sent := v.form.secret("credential"); sent != "" {
		p["credential"] = document(sent)
	} else {
		p["code"] = v.form.code("code")
	}
	var o outcome
	err := v.ask("AUTH.MFA_VERIFY", p, &o)
	if gone(err) {
		return v.startAgain()
	}
	if err != nil {
		return v.retry(err, (*visit).factor, "code")
	}
	if len(o.RequiredActions) > 0 || o.MFARequired {
		return v.entered(o)
	}
	v.accept(o)
	if v.form.text("remember") != "" {
		v.trust()
	}
	if p["method"] == "recovery_code" {
		v.countCodes()
	}
	return v.leave()
}

// countCodes shows the number of remaining recovery codes on the next page. An error
// does not affect the login.
func (v *visit) countCodes() {
	var held factors
	if v.call("MFA.LIST", nil, &held) != nil {
		return
	}
	v.state.Done = "You used a recovery code. " + plural(held.RecoveryCodesLeft, "code is", "codes are") + " left."
	if held.FewCodes() {
		v.state.Done += " Create new ones under Security."
	}
}

// startAgain redirects to the start of a login, a presence check, or a workspace
// switch.
func (v *visit) startAgain() error {
	switching := v.pending.Switching
	v.pending.Challenge, v.pending.Methods, v.pending.Switching = "", nil, false
	const said = "This took too long, or too many wrong codes were entered. Start again."
	if switching {
		return v.wrong(said, workspacesPath)
	}
	if v.tokens.Access != "" {
		return v.wrong(said, confirmPath)
	}
	return v.wrong(said, "/login")
}

// trust remembers this browser. An error does not affect the login.
func (v *visit) trust() {
	var trusted struct {
		DeviceToken string `json:"device_token"`
	}
	err := v.call("DEVICE.TRUST", nil, &trusted)
	if err == nil {
		err = v.write(deviceCookie, remembered{trusted.DeviceToken}, keepDevice)
	}
	if err != nil {
		v.state.Wrong = "This browser could not be remembered. You will be asked again next time."
	}
}

func (v *visit) sendFactorCode() error {
	err := v.ask("AUTH.MFA_SEND_CODE", params{"challenge_token": v.pending.Challenge, "method": "email"}, nil)
	if gone(err) {
		return v.startAgain()
	}
	if err != nil {
		return v.retry(err, (*visit).factor)
	}
	return v.redirect("/login/factor?method=email&sent=1")
}

// document returns JSON sent by a script; invalid JSON becomes null, which every schema
// rejects.
func document(text string) jsontext.Value {
	if sent := jsontext.Value(text); sent.IsValid() {
		return sent
	}
	return jsontext.Value("null")
}

// relay answers a page's script with the result of a command or an error message.
func (v *visit) relay(command string, p params, bearer string) error {
	reply, err := v.execute(command, p, bearer)
	if err != nil {
		return err
	}
	if reply.Failure == nil {
		return v.answer(http.StatusOK, reply.Data)
	}
	said := struct {
		Message string `json:"message"`
		Go      string `json:"go,omitzero"`
	}{Message: wording(reply.Failure)}
	switch {
	case isNotRecent(reply.Failure):
		said.Go = withReturn(confirmPath, v.here())
	case bearer != "" && v.ended(reply.Failure):
		said.Go = withReturn("/login", v.here())
	case reply.Failure.Code == fault.RateLimited:
		v.waitFor(reply.Failure)
	}
	return v.answerJSON(http.StatusUnprocessableEntity, said)
}
