package pages

// sessionsData is the data of the page of sessions and devices.
type sessionsData struct {
	Sessions []openSession
	Others   int
	Devices  []device
	More     string
}

func (v *visit) sessions() error {
	var held list[openSession]
	if err := v.call("SESSION.LIST", params{}.text("cursor", v.r.URL.Query().Get("cursor")), &held); err != nil {
		return err
	}
	var devices list[device]
	if err := v.call("DEVICE.LIST", nil, &devices); err != nil {
		return err
	}
	data := sessionsData{Sessions: held.Items, Devices: devices.Items, More: held.NextCursor}
	for _, one := range held.Items {
		if !one.Current {
			data.Others++
		}
	}
	return v.show("sessions", "Sessions and devices", data)
}

func (v *visit) revokeSession() error {
	if err := v.call("SESSION.REVOKE", params{"session_id": v.form.text("id")}, nil); err != nil {
		return v.retry(err, (*visit).sessions)
	}
	return v.done("The session was signed out.", "/account/sessions")
}

func (v *visit) revokeOtherSessions() error {
	var revoked struct {
		Count int `json:"revoked_count"`
	}
	if err := v.call("SESSION.REVOKE_ALL", nil, &revoked); err != nil {
		return v.retry(err, (*visit).sessions)
	}
	return v.done("Signed out of "+plural(revoked.Count, "other session", "other sessions")+".", "/account/sessions")
}

func (v *visit) revokeDevice() error {
	if err := v.call("DEVICE.REVOKE", params{"device_id": v.form.text("id")}, nil); err != nil {
		return v.retry(err, (*visit).sessions)
	}
	return v.done("The device was forgotten. It will be asked for the second step again.", "/account/sessions")
}
