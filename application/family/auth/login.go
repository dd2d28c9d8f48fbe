package auth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/limit"
	outcome "gatehouse.internal/domain/login"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
)

// LoginParams are the parameters of AUTH.LOGIN.
type LoginParams struct {
	Email    email.Address `json:"email" doc:"Address of the account."`
	Password secret.String `json:"password" doc:"Its password." jsonschema:"minLength=1,maxLength=256"`
	OrgID    workspace.ID  `json:"org_id,omitzero" doc:"Workspace to enter; absent: the one last active, else the personal one."`
	Device   secret.String `json:"device_token,omitzero" doc:"Token of a remembered device, from DEVICE.TRUST: it stands in for the second factor." jsonschema:"minLength=1,maxLength=256"`
}

func (s *Service) login() command.Definition {
	return command.Define(command.Spec[LoginParams, login.Outcome]{
		Name:       "AUTH.LOGIN",
		Summary:    "Sign in by password: tokens, or a challenge for the second factor. Unknown address, wrong password, locked and disabled account answer alike.",
		Access:     access.Public(),
		Effect:     command.Writes,
		Through:    maintenance.Closed,
		Trigger:    flow.Login,
		Limits:     []limit.Spec{limit.PerMinute(limit.IP, 10)},
		SpikeGuard: true,
		Guarded:    true,
		Emits: []event.Kind{
			outcome.KindSucceeded, outcome.KindFailed, session.KindCreated, credential.KindLocked, mfa.KindChallenged,
			workspace.KindMemberAdded,
		},
		Handle: func(ctx context.Context, call command.Call, p LoginParams) (login.Outcome, error) {
			return s.Login.ByPassword(ctx, call, login.Attempt{Email: p.Email, Password: p.Password, Org: p.OrgID, Device: p.Device})
		},
	})
}
