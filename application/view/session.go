package view

import (
	"time"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Session is a login in results.
type Session struct {
	ID         session.ID   `json:"id" doc:"Identifier of the session."`
	UserID     user.ID      `json:"user_id" doc:"Whose it is."`
	OrgID      workspace.ID `json:"org_id" doc:"The active workspace."`
	CreatedAt  time.Time    `json:"created_at" doc:"When the login was."`
	AuthTime   time.Time    `json:"auth_time" doc:"When the person last proved presence."`
	AMR        []string     `json:"amr" doc:"How the person proved their identity (RFC 8176)."`
	IP         string       `json:"ip" doc:"Address that the login came from."`
	UserAgent  string       `json:"user_agent" doc:"What the client called itself."`
	Device     string       `json:"device" doc:"Browser and system, as the user agent tells them; empty when it tells neither." jsonschema:"example=Firefox on Windows"`
	LastUsedAt time.Time    `json:"last_used_at" doc:"Last login or refresh."`
	ExpiresAt  time.Time    `json:"expires_at" doc:"When it ends unless it is refreshed before, or ends however much it is used: the earlier of both."`
	Current    bool         `json:"current" doc:"Whether it is the session that asks."`
	ActedBy    *user.ID     `json:"acted_by" doc:"Who acts in it as the person, by an impersonation, so that nobody proved presence; null: the person themselves."`
}

// OfSession returns a session; asking is the session of the caller.
func OfSession(s session.Snapshot, asking session.ID) Session {
	return Session{
		ID: s.ID, UserID: s.UserID, OrgID: s.OrgID, CreatedAt: s.CreatedAt, AuthTime: s.AuthTime, AMR: s.AMR,
		IP: s.IP, UserAgent: s.UserAgent, Device: device.Describe(s.UserAgent), LastUsedAt: s.LastUsedAt,
		ExpiresAt: earlier(s.LastUsedAt.Add(s.Idle), s.ExpiresAt), Current: s.ID == asking,
		ActedBy: Text(s.ActedBy),
	}
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
