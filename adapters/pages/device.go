package pages

import (
	"net/http"
	"net/url"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/terminal"
)

// devicePath is the verification address of the device flow (RFC 8628 section 3.3).
const devicePath = "/device"

// asking is the data of the page of a pending device authorization.
type asking struct {
	Client    client    `json:"client"`
	Scopes    []string  `json:"scopes"`
	IP        string    `json:"ip"`
	Device    string    `json:"device"`
	ExpiresAt time.Time `json:"expires_at"`

	Code, Email, Workspace string
}

// Words returns descriptions of the requested scopes.
func (a asking) Words() []string { return scopeLabels(a.Scopes) }

// device asks for the user code. A code from the address is filled in but not
// submitted, so that the person compares it with the device (RFC 8628 section 5.4).
func (v *visit) device() error {
	if code := v.r.URL.Query().Get("user_code"); code != "" {
		v.form.fill("user_code", code)
	}
	return v.show("device", "Connect a device", v.r.URL.Query().Has("user_code"))
}

// deviceAddress returns the address of the form with a user code.
func deviceAddress(code string) string {
	return devicePath + "?" + url.Values{"user_code": {code}}.Encode()
}

// findDevice shows the request of a user code.
func (v *visit) findDevice() error {
	code := v.form.code("user_code")
	found := asking{Code: code}
	if err := v.call("OAUTH.DEVICE_GET", params{"user_code": code}, &found); err != nil {
		return v.noDevice(err)
	}
	who, err := v.whoami()
	if err != nil {
		return err
	}
	var me profile
	if err := v.call("USER.ME", nil, &me); err != nil {
		return err
	}
	found.Email, found.Workspace = me.Email, who.Workspace
	v.pending.ReturnTo, v.pending.App = deviceAddress(code), found.Client.asker()
	return v.show("decidedevice", found.Client.Name+" asks to act on your behalf", found)
}

// decideDevice submits the person's decision.
func (v *visit) decideDevice() error {
	approve := v.form.text("approve") == "true"
	code := v.form.code("user_code")
	if err := v.call("OAUTH.DEVICE_DECIDE", params{"user_code": code, "approve": approve}, nil); isNotRecent(err) {
		return v.confirmed(deviceAddress(code))
	} else if err != nil {
		return v.noDevice(err)
	}
	if approve {
		return v.done("The device is connected. Continue there. You can disconnect it here.", "/account/connections")
	}
	return v.done("The device was not connected.", account)
}

// noDevice shows the form again after an unknown or expired code.
func (v *visit) noDevice(err error) error {
	if refusedAs(err, fault.NotFound, fault.Validation) {
		v.form.Errors = map[string]string{"user_code": "Unknown or expired device code. Check the code on the device, or start again there."}
		v.status = http.StatusUnprocessableEntity
		return v.device()
	}
	return v.retry(err, (*visit).device)
}

// terminalAsking is the data of the page of a sign-in on the command line.
type terminalAsking struct {
	terminal.Request

	Email, Workspace string
}

// terminalCode is the data of the page with the code to copy.
type terminalCode struct {
	terminal.Request

	Code string
}

// terminal shows that the command line asks to be signed in. Nothing happens before the
// person continues.
func (v *visit) terminal() error {
	asked, err := terminal.Read(v.r.URL.Query())
	if err != nil {
		return v.invalidTerminal(err)
	}
	return v.askTerminal(asked)
}

func (v *visit) askTerminal(asked terminal.Request) error {
	who, err := v.whoami()
	if err != nil {
		return err
	}
	var me profile
	if err := v.call("USER.ME", nil, &me); err != nil {
		return err
	}
	v.pending = pending{errand: errand{ReturnTo: terminalAddress(asked), Client: asked.Return}}
	return v.show("terminal", "Sign in on the command line", terminalAsking{asked, me.Email, who.Workspace})
}

// terminalAddress returns the address of the page of a request.
func terminalAddress(asked terminal.Request) string {
	return terminal.Path + "?" + asked.Values().Encode()
}

// decideTerminal hands the command line a one-time code, or a refusal.
func (v *visit) decideTerminal() error {
	asked, err := terminal.Read(v.form.values)
	if err != nil {
		return v.invalidTerminal(err)
	}
	v.pending = pending{}
	if v.form.text("approve") != "true" {
		if asked.Return != "" {
			return v.redirect(asked.Back(""))
		}
		return v.done("The command line was not signed in.", account)
	}
	code, err := v.allowTerminal(asked)
	switch {
	case isNotRecent(err):
		return v.confirmed(terminalAddress(asked))
	case err != nil:
		return v.retry(err, func(v *visit) error { return v.askTerminal(asked) })
	case asked.Return != "":
		return v.redirect(asked.Back(code))
	}
	return v.show("terminalcode", "Copy this code", terminalCode{asked, code})
}

// allowTerminal returns a one-time code for the command line.
func (v *visit) allowTerminal(asked terminal.Request) (string, error) {
	var me profile
	if err := v.call("USER.ME", nil, &me); err != nil {
		return "", err
	}
	var begun struct {
		ChallengeID string `json:"challenge_id"`
	}
	err := v.call("AUTH.PASSWORDLESS_START", params{"email": me.Email, "method": "session", "code_challenge": asked.Challenge}, &begun)
	return begun.ChallengeID, err
}

func (v *visit) invalidTerminal(err error) error {
	v.status = http.StatusBadRequest
	return v.show("terminalinvalid", "Sign-in failed", sentence(err.Error()))
}
