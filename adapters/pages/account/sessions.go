package account

import (
	"slices"
	"time"

	"gatehouse.internal/adapters/pages/kit"
)

// sessionsData is the data of the page of sessions and devices.
type sessionsData struct {
	Sessions []openSession
	Others   int
	Devices  []device
	More     string
}

func (v *visit) sessions() error {
	var held kit.List[openSession]
	if err := v.Call("SESSION.LIST", kit.Params{}.Text("cursor", v.Request.URL.Query().Get("cursor")), &held); err != nil {
		return err
	}
	var devices kit.List[device]
	if err := v.Call("DEVICE.LIST", nil, &devices); err != nil {
		return err
	}
	data := sessionsData{Sessions: held.Items, Devices: devices.Items, More: held.NextCursor}
	for _, one := range held.Items {
		if !one.Current {
			data.Others++
		}
	}
	return v.Show("sessions", "Sessions and devices", data)
}

func (v *visit) revokeSession() error {
	if err := v.Call("SESSION.REVOKE", kit.Params{"session_id": v.Form.Text("id")}, nil); err != nil {
		return v.Retry(err, v.sessions)
	}
	return v.Done("The session was signed out.", "/account/sessions")
}

func (v *visit) revokeOtherSessions() error {
	var revoked struct {
		Count int `json:"revoked_count"`
	}
	if err := v.Call("SESSION.REVOKE_ALL", nil, &revoked); err != nil {
		return v.Retry(err, v.sessions)
	}
	return v.Done("Signed out of "+kit.Plural(revoked.Count, "other session", "other sessions")+".", "/account/sessions")
}

func (v *visit) revokeDevice() error {
	if err := v.Call("DEVICE.REVOKE", kit.Params{"device_id": v.Form.Text("id")}, nil); err != nil {
		return v.Retry(err, v.sessions)
	}
	return v.Done("The device was forgotten. Its next sign-in asks for a second factor.", "/account/sessions")
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
	return kit.Date(*d.AllowedUntil) + ", " + hour(*d.AllowedUntil)
}

func (v *visit) support() error {
	var me struct {
		ID string `json:"id"`
	}
	if err := v.Call("USER.ME", nil, &me); err != nil {
		return err
	}
	var found struct {
		kit.List[impersonation]

		AllowedUntil *time.Time `json:"allowed_until"`
	}
	if err := v.Call("IMPERSONATION.LIST", kit.Params{"user_id": me.ID}.Text("cursor", v.Request.URL.Query().Get("cursor")), &found); err != nil {
		return err
	}
	return v.Show("support", "Support access", supportData{
		Items: found.Items, AllowedUntil: found.AllowedUntil, Terms: terms(), More: found.NextCursor,
	})
}

func (v *visit) stopSupport() error {
	if err := v.Call("IMPERSONATION.STOP", kit.Params{"impersonation_id": v.Form.Text("id")}, nil); err != nil {
		return v.Retry(err, v.support)
	}
	return v.Done("Support no longer acts as you.", supportPath)
}

func (v *visit) allowSupport() error {
	p, said := kit.Params{}, "You no longer allow support to act as you."
	if at := slices.IndexFunc(terms(), func(s term) bool { return s.Name == v.Form.Text("for") }); at >= 0 {
		until := v.Site.Clock.Now().Add(terms()[at].length).UTC().Truncate(time.Second)
		p["allowed_until"], said = until, "Support can act as you for "+terms()[at].Label+"."
	}
	if err := v.Call("IMPERSONATION.SET_CONSENT", p, nil); err != nil {
		return v.Retry(err, v.support)
	}
	return v.Done(said, supportPath)
}

type openSession struct {
	ID         string    `json:"id"`
	IP         string    `json:"ip"`
	Device     string    `json:"device"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at"`
	Current    bool      `json:"current"`
	ActedBy    string    `json:"acted_by"`
}

// Name returns what the person knows the client by, or that it is none of theirs.
func (s openSession) Name() string {
	switch {
	case s.ActedBy != "":
		return "Support, acting as you"
	case s.Device == "":
		return "Unknown device"
	}
	return s.Device
}

type device struct {
	ID         string    `json:"id"`
	Name       string    `json:"name"`
	Device     string    `json:"device"`
	IP         string    `json:"ip"`
	CreatedAt  time.Time `json:"created_at"`
	LastUsedAt time.Time `json:"last_used_at"`
	ExpiresAt  time.Time `json:"expires_at"`
}
