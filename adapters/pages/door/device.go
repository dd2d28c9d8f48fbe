package door

import (
	"net/http"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/terminal"
)

// asking is the data of the page of a pending device authorization.
type asking struct {
	client.OAuthDeviceGetResult

	Client                 requester
	Code, Email, Workspace string
}

// Words returns descriptions of the requested scopes.
func (a asking) Words() []string { return kit.ScopeLabels(a.Scopes) }

// device asks for the user code. A code from the address is filled in but not
// submitted, so that the person compares it with the device (RFC 8628 section 5.4).
func (v *visit) device() error {
	if code := v.Request.URL.Query().Get("user_code"); code != "" {
		v.Form.Fill("user_code", code)
	}
	return v.Show("device", "Connect a device", v.Request.URL.Query().Has("user_code"))
}

// findDevice shows the request of a user code.
func (v *visit) findDevice() error {
	code := v.Form.Code("user_code")
	asked, err := v.Me().OAuthDeviceGet(v.Context(), client.OAuthDeviceGetParams{UserCode: code})
	if err != nil {
		return v.noDevice(err)
	}
	found := asking{OAuthDeviceGetResult: asked, Code: code, Client: requester{client.OAuthClient{
		ClientID: asked.Client.ClientID, Name: asked.Client.Name, LogoURL: asked.Client.LogoURL, PolicyURL: asked.Client.PolicyURL,
		TermsURL: asked.Client.TermsURL, VouchedBy: asked.Client.VouchedBy,
	}}}
	who, err := v.Whoami()
	if err != nil {
		return err
	}
	me, err := v.Me().UserMe(v.Context(), client.UserMeParams{})
	if err != nil {
		return err
	}
	found.Email, found.Workspace = me.Email, who.Workspace
	v.Pending.ReturnTo, v.Pending.App = kit.DeviceAddress(code), found.Client.asker()
	return v.Show("decidedevice", found.Client.Name+" asks to act on your behalf", found)
}

// decideDevice submits the person's decision.
func (v *visit) decideDevice() error {
	approve := v.Form.Text("approve") == "true"
	code := v.Form.Code("user_code")
	if _, err := v.Me().OAuthDeviceDecide(v.Context(), client.OAuthDeviceDecideParams{UserCode: code, Approve: approve}); kit.IsNotRecent(err) {
		return v.confirmed(kit.DeviceAddress(code))
	} else if err != nil {
		return v.noDevice(err)
	}
	if approve {
		return v.Done("The device is connected. Continue there. You can disconnect it here.", "/account/connections")
	}
	return v.Done("The device was not connected.", kit.Account)
}

// noDevice shows the form again after an unknown or expired code.
func (v *visit) noDevice(err error) error {
	if kit.RefusedAs(err, fault.NotFound, fault.Validation) {
		v.Form.Errors = map[string]string{"user_code": "Unknown or expired device code. Check the code on the device, or start again there."}
		v.Status = http.StatusUnprocessableEntity
		return v.device()
	}
	return v.Retry(err, v.device)
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
	asked, err := terminal.Read(v.Request.URL.Query())
	if err != nil {
		return v.invalidTerminal(err)
	}
	return v.askTerminal(asked)
}

func (v *visit) askTerminal(asked terminal.Request) error {
	who, err := v.Whoami()
	if err != nil {
		return err
	}
	me, err := v.Me().UserMe(v.Context(), client.UserMeParams{})
	if err != nil {
		return err
	}
	v.Pending = kit.Pending{Errand: kit.Errand{ReturnTo: terminalAddress(asked), Client: asked.Return}}
	return v.Show("terminal", "Sign in on the command line", terminalAsking{asked, me.Email, who.Workspace})
}

// terminalAddress returns the address of the page of a request.
func terminalAddress(asked terminal.Request) string {
	return terminal.Path + "?" + asked.Values().Encode()
}

// decideTerminal hands the command line a one-time code, or a refusal.
func (v *visit) decideTerminal() error {
	asked, err := terminal.Read(v.Form.Values)
	if err != nil {
		return v.invalidTerminal(err)
	}
	v.Pending = kit.Pending{}
	if v.Form.Text("approve") != "true" {
		if asked.Return != "" {
			return v.Redirect(asked.Back(""))
		}
		return v.Done("The command line was not signed in.", kit.Account)
	}
	code, err := v.allowTerminal(asked)
	switch {
	case kit.IsNotRecent(err):
		return v.confirmed(terminalAddress(asked))
	case err != nil:
		return v.Retry(err, func() error { return v.askTerminal(asked) })
	case asked.Return != "":
		return v.Redirect(asked.Back(code))
	}
	return v.Show("terminalcode", "Copy this code", terminalCode{asked, code})
}

// allowTerminal returns a one-time code for the command line.
func (v *visit) allowTerminal(asked terminal.Request) (string, error) {
	me, err := v.Me().UserMe(v.Context(), client.UserMeParams{})
	if err != nil {
		return "", err
	}
	begun, err := v.Me().AuthPasswordlessStart(v.Context(), client.AuthPasswordlessStartParams{Email: me.Email, Method: new(client.AuthPasswordlessStartParamsMethod("session")), CodeChallenge: new(asked.Challenge)})
	return begun.ChallengeID, err
}

func (v *visit) invalidTerminal(err error) error {
	v.Status = http.StatusBadRequest
	return v.Show("terminalinvalid", "Sign-in failed", kit.Sentence(err.Error()))
}
