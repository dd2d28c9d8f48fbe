package session

import (
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Kinds of events of sessions.
const (
	KindCreated       event.Kind = "session.created"
	KindRefreshed     event.Kind = "session.refreshed"
	KindReuseDetected event.Kind = "session.reuse_detected"
	KindRevoked       event.Kind = "session.revoked"

	KindReauthenticated event.Kind = "session.reauthenticated"
	KindGuessed         event.Kind = "session.guessed"
	KindTeamSwitched    event.Kind = "session.team_switched"
)

// Created is the content of session.created.
type Created struct {
	SessionID ID           `json:"session_id" doc:"The new session."`
	UserID    user.ID      `json:"user_id" doc:"Whose it is."`
	OrgID     workspace.ID `json:"org_id" doc:"The active workspace."`
	AMR       []string     `json:"amr" doc:"How the person proved their identity (RFC 8176)."`
}

// Refreshed is the content of session.refreshed.
type Refreshed struct {
	SessionID ID           `json:"session_id" doc:"The session."`
	UserID    user.ID      `json:"user_id" doc:"Whose it is."`
	OrgID     workspace.ID `json:"org_id" doc:"The active workspace."`
}

// ReuseDetected is the content of session.reuse_detected.
type ReuseDetected struct {
	SessionID ID           `json:"session_id" doc:"The session, ended by this."`
	UserID    user.ID      `json:"user_id" doc:"Whose it was."`
	OrgID     workspace.ID `json:"org_id" doc:"The active workspace."`
}

// Revoked is the content of session.revoked.
type Revoked struct {
	SessionID ID           `json:"session_id" doc:"The session that ended."`
	UserID    user.ID      `json:"user_id" doc:"Whose it was."`
	OrgID     workspace.ID `json:"org_id" doc:"The active workspace."`
	Reason    string       `json:"reason" doc:"Why it ended."`
}

// Reauthenticated is the content of session.reauthenticated.
type Reauthenticated struct {
	SessionID ID           `json:"session_id" doc:"The session."`
	UserID    user.ID      `json:"user_id" doc:"Whose it is."`
	OrgID     workspace.ID `json:"org_id" doc:"The active workspace."`
	AMR       []string     `json:"amr" doc:"How the person proved presence (RFC 8176)."`
}

// Guessed is the content of session.guessed.
type Guessed struct {
	SessionID ID        `json:"session_id" doc:"The session, which goes on."`
	UserID    user.ID   `json:"user_id" doc:"Whose it is."`
	Until     time.Time `json:"until" doc:"Until when no password proves anything within the session."`
}

// TeamSwitched is the content of session.team_switched.
type TeamSwitched struct {
	SessionID ID           `json:"session_id" doc:"The session."`
	UserID    user.ID      `json:"user_id" doc:"Whose it is."`
	OrgID     workspace.ID `json:"org_id" doc:"The workspace that is active now."`
	FromOrgID workspace.ID `json:"from_org_id" doc:"The workspace that was active before."`
}

func (Created) Kind() event.Kind       { return KindCreated }
func (Refreshed) Kind() event.Kind     { return KindRefreshed }
func (ReuseDetected) Kind() event.Kind { return KindReuseDetected }
func (Revoked) Kind() event.Kind       { return KindRevoked }

// Kind is session.reauthenticated.
func (Reauthenticated) Kind() event.Kind { return KindReauthenticated }

// Kind is session.guessed.
func (Guessed) Kind() event.Kind { return KindGuessed }

// Concerns files the event under the person.
func (e Guessed) Concerns() event.Concern {
	return event.Concern{UserID: e.UserID.String(), Failed: true}
}

// Kind is session.team_switched.
func (TeamSwitched) Kind() event.Kind { return KindTeamSwitched }

// Events describes the kinds of this package for the catalog.
func Events() []event.Definition {
	const (
		session = ID("ses_01jd7x9k2mf3q8v5t0abcdefgh")
		person  = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
		org     = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh")
	)
	return []event.Definition{
		{Summary: "A login began a session.", Example: Created{session, person, org, []string{"pwd"}}},
		{Summary: "A session's tokens were renewed.", Example: Refreshed{session, person, org}},
		{Summary: "A refresh token that had been replaced was presented: it leaked, and the session was ended.", Example: ReuseDetected{session, person, org}},
		{Summary: "The person of a session proved presence again.", Example: Reauthenticated{session, person, org, []string{"pwd"}}},
		{Summary: "Too many wrong passwords were given within a session: for a while it proves nothing by one.", Example: Guessed{session, person, time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)}},
		{Summary: "Another workspace became the active one of a session.", Example: TeamSwitched{session, person, org, "org_01jd7x9k2mf3q8v5t0abcdefgj"}},
		{Summary: "A session was ended.", Example: Revoked{session, person, org, ByLogout}},
	}
}
