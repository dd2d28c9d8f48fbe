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
	ID         session.ID   `json:"id" doc:"ID of the session."`
	UserID     user.ID      `json:"user_id" doc:"ID of the user."`
	OrgID      workspace.ID `json:"org_id" doc:"ID of the active workspace."`
	CreatedAt  time.Time    `json:"created_at" doc:"When the session was started."`
	AuthTime   time.Time    `json:"auth_time" doc:"When the user last authenticated."`
	AMR        []string     `json:"amr" doc:"Authentication methods used (RFC 8176)."`
	IP         string       `json:"ip" doc:"IP address of the sign-in."`
	UserAgent  string       `json:"user_agent" doc:"User agent of the client."`
	Device     string       `json:"device" doc:"Browser and operating system, derived from the user agent. Empty if unknown." jsonschema:"example=Firefox on Windows"`
	LastUsedAt time.Time    `json:"last_used_at" doc:"Time of the last sign-in or refresh."`
	ExpiresAt  time.Time    `json:"expires_at" doc:"When the session expires: at its absolute limit, or earlier at the idle limit, which a refresh extends."`
	Current    bool         `json:"current" doc:"Whether this is the session making the request."`
	ActedBy    *user.ID     `json:"acted_by" doc:"ID of the user who impersonates the owner in this session. Nobody authenticated in such a session. Null for an ordinary session."`
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
