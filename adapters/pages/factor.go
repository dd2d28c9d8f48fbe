package pages

import (
	"net/http"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"gatehouse.internal/domain/fault"
)

// methodOf are the ways to answer a challenge, as pages name them.
func methodLabels() map[string]string {
	return map[string]string{
		"totp": "Authenticator app", "email": "Code by e-mail", "recovery_code": "Recovery code",
		"bypass": "Code from the helpdesk", "passkey": "Passkey",
	}
}

// factorData is what the page for the second factor shows.
type factorData struct {
	Method string
	Others []choice
	// Sent reports whether a code was mailed, and Again whether this proves presence in a
	// session that there is already.
	Sent, Again bool
}

// choice is a method that may be chosen instead.
type choice struct{ Method, Label string }

// factor asks for the second factor. A bypass is never listed, for only a helpdesk
// knows whether there is one; it may be typed where a recovery code is.
func (v *visit) factor() error {
	if v.state.Challenge == "" {
		return v.redirect("/login")
	}
	chosen := v.form.text("method")
	if chosen == "" {
		chosen = v.r.URL.Query().Get("method")
	}
	methods := v.state.Methods
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
	p := params{"challenge_token": v.state.Challenge, "method": v.form.text("method")}
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

// countCodes has the next page say how many recovery codes are left after one was used.
// The login stands even where they cannot be counted.
func (v *visit) countCodes() {
	var held factors
	if v.call("MFA.LIST", nil, &held) != nil {
		return
	}
	v.state.Done = "You used a recovery code. " + plural(held.RecoveryCodesLeft, "code is", "codes are") + " left."
	if held.FewCodes() {
		v.state.Done += " Make new ones under Security."
	}
}

// startAgain leads back to the beginning of a login, of a proof of presence, or of a
// switch to another workspace.
func (v *visit) startAgain() error {
	switching := v.state.Switching
	v.state.Challenge, v.state.Methods, v.state.Switching = "", nil, false
	const said = "That took too long, or a code was wrong too often. Please begin again."
	if switching {
		return v.wrong(said, workspacesPath)
	}
	if v.tokens.Access != "" {
		return v.wrong(said, withReturn("/account/confirm", v.state.ReturnTo))
	}
	return v.wrong(said, "/login")
}

// trust remembers this browser. The login stands, whether that succeeds or not.
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
	err := v.ask("AUTH.MFA_SEND_CODE", params{"challenge_token": v.state.Challenge, "method": "email"}, nil)
	if gone(err) {
		return v.startAgain()
	}
	if err != nil {
		return v.retry(err, (*visit).factor)
	}
	return v.redirect("/login/factor?method=email&sent=1")
}

// document takes what a script has sent as JSON; what is none becomes null, which
// every schema refuses.
func document(text string) jsontext.Value {
	if sent := jsontext.Value(text); sent.IsValid() {
		return sent
	}
	return jsontext.Value("null")
}

// relay answers the script of a page with the result of a command, or with what a
// person may read of its refusal.
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
		said.Go = withReturn("/account/confirm", v.here())
	case bearer != "" && v.ended(reply.Failure):
		said.Go = withReturn("/login", v.here())
	case reply.Failure.Code == fault.RateLimited:
		v.waitFor(reply.Failure)
	}
	return v.answerJSON(http.StatusUnprocessableEntity, said)
}
