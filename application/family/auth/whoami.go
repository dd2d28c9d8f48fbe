package auth

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/apikey"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// WhoamiResult is the result of AUTH.WHOAMI.
type WhoamiResult struct {
	Subject   string       `json:"subject" doc:"Owner of the credential: a user, or the client_id of an app."`
	Kind      access.Kind  `json:"kind" doc:"Kind of credential: the access token of a session, an API key, an M2M token of an app, or an impersonation token." jsonschema:"enum=session,enum=api_key,enum=app,enum=impersonation"`
	SessionID *session.ID  `json:"session_id" doc:"Session behind the access token."`
	APIKeyID  *apikey.ID   `json:"api_key_id" doc:"ID of the API key."`
	AppID     *app.ID      `json:"app_id" doc:"ID of the app behind an M2M token."`
	OrgID     workspace.ID `json:"org_id" doc:"The active workspace."`
	OrgName   string       `json:"org_name" doc:"Name of the active workspace."`
	Roles     []string     `json:"roles" doc:"Roles in the active workspace."`
	Scopes    []string     `json:"scopes" doc:"Permissions that the credential carries in the active workspace. For an M2M token, all of its scopes."`
	AMR       []string     `json:"amr" doc:"Authentication methods that the person used (RFC 8176). Empty without a session."`
	AuthTime  *time.Time   `json:"auth_time" doc:"When the person authenticated."`
	ActorID   user.ID      `json:"actor_id,omitzero" doc:"User who acts as the subject by impersonation. Omitted if the subject acts itself."`
	ReadOnly  bool         `json:"read_only,omitzero" doc:"Whether the credential is a read-only impersonation, which cannot change anything."`
	ExpiresAt *time.Time   `json:"expires_at" doc:"When the credential expires. Null for an API key that does not expire."`
	// HasPassword tells whoever asks for a password whether there is one to ask for.
	HasPassword bool `json:"has_password" doc:"Whether the person's account has a password. False for an app."`
}

func (s *Service) whoami() command.Definition {
	return command.Define(command.Spec[command.None, WhoamiResult]{
		Name:           "AUTH.WHOAMI",
		Summary:        "Describe the credential of the current call.",
		Description:    "Returns its subject, workspace, roles, permissions and expiry.",
		Access:         access.Anybody().Unproved(),
		Effect:         command.Reads,
		WhileSuspended: true, // who may delete the workspace is shown how
		Handle: func(ctx context.Context, call command.Call, _ command.None) (WhoamiResult, error) {
			c := call.Caller
			standing := people.CallerDetails{Workspace: c.OrgName}
			if c.Kind != access.App {
				var err error
				if standing, err = s.Login.Accounts.Standing(ctx, c.User, c.Org); err != nil {
					return WhoamiResult{}, err
				}
			}
			shown := WhoamiResult{
				Subject: c.User.String(), Kind: c.Kind, SessionID: view.Text(c.Session), APIKeyID: view.Text(c.APIKey), AppID: view.Text(c.App),
				OrgID: c.Org, OrgName: standing.Workspace, Roles: c.Roles, Scopes: c.Permissions, AMR: c.AMR,
				AuthTime: view.Time(c.AuthTime), ExpiresAt: view.Time(c.ExpiresAt), HasPassword: standing.HasPassword,
				ActorID: c.Actor, ReadOnly: c.ReadOnly,
			}
			if c.Kind == access.App {
				shown.Subject, shown.Scopes = c.Client, c.Scopes
			}
			return shown, nil
		},
	})
}
