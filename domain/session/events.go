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
	SessionID ID           `json:"session_id" doc:"ID of the new session."`
	UserID    user.ID      `json:"user_id" doc:"ID of the user."`
	OrgID     workspace.ID `json:"org_id" doc:"ID of the active workspace."`
	AMR       []string     `json:"amr" doc:"Authentication methods of the sign-in (RFC 8176)."`
}

// Refreshed is the content of session.refreshed.
type Refreshed struct {
	SessionID ID           `json:"session_id" doc:"ID of the session."`
	UserID    user.ID      `json:"user_id" doc:"ID of the user."`
	OrgID     workspace.ID `json:"org_id" doc:"ID of the active workspace."`
}

// ReuseDetected is the content of session.reuse_detected.
type ReuseDetected struct {
	SessionID ID           `json:"session_id" doc:"ID of the session, which was revoked."`
	UserID    user.ID      `json:"user_id" doc:"ID of the user."`
	OrgID     workspace.ID `json:"org_id" doc:"ID of the active workspace."`
}

// Revoked is the content of session.revoked.
type Revoked struct {
	SessionID ID           `json:"session_id" doc:"ID of the session."`
	UserID    user.ID      `json:"user_id" doc:"ID of the user."`
	OrgID     workspace.ID `json:"org_id" doc:"ID of the active workspace."`
	Reason    string       `json:"reason" doc:"Reason why the session ended."`
}

// Reauthenticated is the content of session.reauthenticated.
type Reauthenticated struct {
	SessionID ID           `json:"session_id" doc:"ID of the session."`
	UserID    user.ID      `json:"user_id" doc:"ID of the user."`
	OrgID     workspace.ID `json:"org_id" doc:"ID of the active workspace."`
	AMR       []string     `json:"amr" doc:"Authentication methods of the new proof (RFC 8176)."`
}

// Guessed is the content of session.guessed.
type Guessed struct {
	SessionID ID        `json:"session_id" doc:"ID of the session, which stays active."`
	UserID    user.ID   `json:"user_id" doc:"ID of the user."`
	Until     time.Time `json:"until" doc:"Time until which the session cannot confirm a password."`
}

// TeamSwitched is the content of session.team_switched.
type TeamSwitched struct {
	SessionID ID           `json:"session_id" doc:"ID of the session."`
	UserID    user.ID      `json:"user_id" doc:"ID of the user."`
	OrgID     workspace.ID `json:"org_id" doc:"ID of the workspace that is now active."`
	FromOrgID workspace.ID `json:"from_org_id" doc:"ID of the workspace that was active before."`
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
		{Summary: "A session was started by a sign-in.", Example: Created{session, person, org, []string{"pwd"}}},
		{Summary: "The tokens of a session were refreshed.", Example: Refreshed{session, person, org}},
		{Summary: "A replaced refresh token was used again, so the session was revoked.", Example: ReuseDetected{session, person, org}},
		{Summary: "The user of a session authenticated again.", Example: Reauthenticated{session, person, org, []string{"pwd"}}},
		{Summary: "A session was blocked from confirming passwords for a while, after too many wrong passwords.", Example: Guessed{session, person, time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)}},
		{Summary: "A session was switched to another workspace.", Example: TeamSwitched{session, person, org, "org_01jd7x9k2mf3q8v5t0abcdefgj"}},
		{Summary: "A session ended.", Example: Revoked{session, person, org, ByLogout}},
	}
}
