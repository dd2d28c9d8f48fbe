package account

import (
	"slices"
	"time"

	"gatehouse.internal/adapters/client"
	"gatehouse.internal/adapters/pages/kit"
)

// sessionsData is the data of the page of sessions and devices.
type sessionsData struct {
	Sessions []openSession
	Others   int
	Devices  []client.Device
	More     string
}

func (v *visit) sessions() error {
	held, err := v.Me().SessionList(v.Context(), client.SessionListParams{Cursor: client.Given(v.Request.URL.Query().Get("cursor"))})
	if err != nil {
		return err
	}
	devices, err := v.Me().DeviceList(v.Context(), client.DeviceListParams{})
	if err != nil {
		return err
	}
	data := sessionsData{Sessions: kit.Map(held.Items, func(one client.Session) openSession { return openSession{one} }), Devices: devices.Items, More: held.NextCursor}
	for _, one := range held.Items {
		if !one.Current {
			data.Others++
		}
	}
	return v.Show("sessions", "Sessions and devices", data)
}

func (v *visit) revokeSession() error {
	if _, err := v.Me().SessionRevoke(v.Context(), client.SessionRevokeParams{SessionID: v.Form.Text("id")}); err != nil {
		return v.Retry(err, v.sessions)
	}
	return v.Done("The session was signed out.", "/account/sessions")
}

func (v *visit) revokeOtherSessions() error {
	revoked, err := v.Me().SessionRevokeAll(v.Context(), client.SessionRevokeAllParams{})
	if err != nil {
		return v.Retry(err, v.sessions)
	}
	return v.Done("Signed out of "+kit.Plural(revoked.RevokedCount, "other session", "other sessions")+".", "/account/sessions")
}

func (v *visit) revokeDevice() error {
	if _, err := v.Me().DeviceRevoke(v.Context(), client.DeviceRevokeParams{DeviceID: new(v.Form.Text("id"))}); err != nil {
		return v.Retry(err, v.sessions)
	}
	return v.Done("The device was forgotten. Its next sign-in asks for a second factor.", "/account/sessions")
}

// supportPath is where people see who acts as them, stop it, and allow it.
const supportPath = "/account/sessions/support"

// impersonation is somebody's acting as the person.
type impersonation struct{ client.Impersonation }

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
	if !i.EndedAt.IsZero() {
		return i.EndedAt
	}
	return i.ExpiresAt
}

// supportData is what the page about support access shows.
type supportData struct {
	Items        []impersonation
	AllowedUntil time.Time
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
	if d.AllowedUntil.IsZero() {
		return ""
	}
	return kit.Date(d.AllowedUntil) + ", " + hour(d.AllowedUntil)
}

func (v *visit) support() error {
	me, err := v.Me().UserMe(v.Context(), client.UserMeParams{})
	if err != nil {
		return err
	}
	found, err := v.Me().ImpersonationList(v.Context(), client.ImpersonationListParams{UserID: new(me.ID), Cursor: client.Given(v.Request.URL.Query().Get("cursor"))})
	if err != nil {
		return err
	}
	return v.Show("support", "Support access", supportData{
		Items: kit.Map(found.Items, func(one client.Impersonation) impersonation { return impersonation{one} }), AllowedUntil: found.AllowedUntil, Terms: terms(), More: found.NextCursor,
	})
}

func (v *visit) stopSupport() error {
	if _, err := v.Me().ImpersonationStop(v.Context(), client.ImpersonationStopParams{ImpersonationID: new(v.Form.Text("id"))}); err != nil {
		return v.Retry(err, v.support)
	}
	return v.Done("Support no longer acts as you.", supportPath)
}

func (v *visit) allowSupport() error {
	p, said := client.ImpersonationSetConsentParams{}, "You no longer allow support to act as you."
	if at := slices.IndexFunc(terms(), func(s term) bool { return s.Name == v.Form.Text("for") }); at >= 0 {
		until := v.Site.Clock.Now().Add(terms()[at].length).UTC().Truncate(time.Second)
		p.AllowedUntil, said = new(until), "Support can act as you for "+terms()[at].Label+"."
	}
	if _, err := v.Me().ImpersonationSetConsent(v.Context(), p); err != nil {
		return v.Retry(err, v.support)
	}
	return v.Done(said, supportPath)
}

// openSession is a session of the person.
type openSession struct{ client.Session }

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
