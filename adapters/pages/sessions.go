package pages

import (
	"slices"
	"time"
)

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
	return v.done("The device was forgotten. Its next sign-in asks for a second factor.", "/account/sessions")
}

// supportPath is where people see who acts as them, stop it, and allow it.
const supportPath = "/account/sessions/support"

// impersonation is somebody's acting as the person.
type impersonation struct {
	ID        string     `json:"id"`
	ActorName string     `json:"actor_name"`
	Reason    string     `json:"reason"`
	ReadOnly  bool       `json:"read_only"`
	Active    bool       `json:"active"`
	StartedAt time.Time  `json:"started_at"`
	ExpiresAt time.Time  `json:"expires_at"`
	EndedAt   *time.Time `json:"ended_at"`
}

// Name returns what whoever acts is called.
func (i impersonation) Name() string {
	if i.ActorName == "" {
		return "Support staff"
	}
	return i.ActorName
}

// Until returns when it ends, if nobody stops it.
func (i impersonation) Until() string { return hour(i.ExpiresAt) }

// hour returns a time of a day to come.
func hour(at time.Time) string { return at.UTC().Format("15:04 UTC") }

// Over returns when it ended.
func (i impersonation) Over() time.Time {
	if i.EndedAt != nil {
		return *i.EndedAt
	}
	return i.ExpiresAt
}

// supportData is what the page about support access shows.
type supportData struct {
	Items        []impersonation
	AllowedUntil *time.Time
	Terms        []term
	More         string
}

// term is for how long somebody may allow something.
type term struct {
	Name, Label string
	length      time.Duration
}

func terms() []term {
	const day = 24 * time.Hour
	return []term{{"hour", "an hour", time.Hour}, {"day", "a day", day}, {"week", "a week", 7 * day}, {"month", "30 days", 30 * day}}
}

// Allowed returns until when support may act as the person; "" where it may not.
func (d supportData) Allowed() string {
	if d.AllowedUntil == nil {
		return ""
	}
	return date(*d.AllowedUntil) + ", " + hour(*d.AllowedUntil)
}

func (v *visit) support() error {
	var me struct {
		ID string `json:"id"`
	}
	if err := v.call("USER.ME", nil, &me); err != nil {
		return err
	}
	var found struct {
		list[impersonation]

		AllowedUntil *time.Time `json:"allowed_until"`
	}
	if err := v.call("IMPERSONATION.LIST", params{"user_id": me.ID}.text("cursor", v.r.URL.Query().Get("cursor")), &found); err != nil {
		return err
	}
	return v.show("support", "Support access", supportData{
		Items: found.Items, AllowedUntil: found.AllowedUntil, Terms: terms(), More: found.NextCursor,
	})
}

func (v *visit) stopSupport() error {
	if err := v.call("IMPERSONATION.STOP", params{"impersonation_id": v.form.text("id")}, nil); err != nil {
		return v.retry(err, (*visit).support)
	}
	return v.done("Support no longer acts as you.", supportPath)
}

func (v *visit) allowSupport() error {
	p, said := params{}, "You no longer allow support to act as you."
	if at := slices.IndexFunc(terms(), func(s term) bool { return s.Name == v.form.text("for") }); at >= 0 {
		until := v.site.Clock.Now().Add(terms()[at].length).UTC().Truncate(time.Second)
		p["allowed_until"], said = until, "Support can act as you for "+terms()[at].Label+"."
	}
	if err := v.call("IMPERSONATION.SET_CONSENT", p, nil); err != nil {
		return v.retry(err, (*visit).support)
	}
	return v.done(said, supportPath)
}
