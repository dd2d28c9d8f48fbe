package pages

import (
	"net/http"
	"net/url"
	"time"

	"gatehouse.internal/domain/fault"
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
	return v.show("decidedevice", found.Client.Name+" asks to act for you", found)
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
		return v.done("The device is connected: go on there. You can disconnect it here.", "/account/connections")
	}
	return v.done("The device was given nothing.", account)
}

// noDevice shows the form again after an unknown or expired code.
func (v *visit) noDevice(err error) error {
	if refusedAs(err, fault.NotFound, fault.Validation) {
		v.form.Errors = map[string]string{"user_code": "No device waits under this code. Look at the device again, or begin there anew."}
		v.status = http.StatusUnprocessableEntity
		return v.device()
	}
	return v.retry(err, (*visit).device)
}
