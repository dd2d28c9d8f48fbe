package auth

import (
	"context"
	"time"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// WhoamiResult is the result of AUTH.WHOAMI.
type WhoamiResult struct {
	Subject   user.ID      `json:"subject" doc:"Whose credential it is."`
	Kind      string       `json:"kind" doc:"What was presented." jsonschema:"enum=session"`
	SessionID session.ID   `json:"session_id" doc:"The session behind the token."`
	OrgID     workspace.ID `json:"org_id" doc:"The active workspace."`
	Roles     []string     `json:"roles" doc:"Roles in it."`
	Scopes    []string     `json:"scopes" doc:"Permissions that the credential carries in it."`
	AMR       []string     `json:"amr" doc:"How the person proved their identity (RFC 8176)."`
	AuthTime  time.Time    `json:"auth_time" doc:"When they did."`
	ExpiresAt time.Time    `json:"expires_at" doc:"When the credential ends."`
}

func (s *Service) whoami() command.Definition {
	return command.Define(command.Spec[command.None, WhoamiResult]{
		Name:    "AUTH.WHOAMI",
		Summary: "What the presented credential is and may do.",
		Access:  access.User(),
		Effect:  command.Reads,
		Handle: func(_ context.Context, call command.Call, _ command.None) (WhoamiResult, error) {
			c := call.Caller
			return WhoamiResult{
				Subject: c.User, Kind: "session", SessionID: c.Session, OrgID: c.Org, Roles: c.Roles,
				Scopes: c.Permissions, AMR: c.AMR, AuthTime: c.AuthTime, ExpiresAt: c.ExpiresAt,
			}, nil
		},
	})
}
