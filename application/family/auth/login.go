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
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
)

// LoginParams are the parameters of AUTH.LOGIN.
type LoginParams struct {
	Email    email.Address `json:"email" doc:"Email address of the account."`
	Password secret.String `json:"password" doc:"Password of the account." jsonschema:"minLength=1,maxLength=256"`
	OrgID    workspace.ID  `json:"org_id,omitzero" doc:"Workspace to sign in to. Defaults to the last active workspace, else the personal one."`
	Device   secret.String `json:"device_token,omitzero" doc:"Token of a remembered device, from DEVICE.TRUST. Replaces the second factor." jsonschema:"minLength=1,maxLength=256"`
}

func (s *Service) login() command.Definition {
	return command.Define(command.Spec[LoginParams, login.Outcome]{
		Name:    "AUTH.LOGIN",
		Summary: "Sign in with an email address and password.",
		Description: "Returns a token pair, or a challenge for AUTH.MFA_VERIFY if a second factor is needed.\n\n" +
			"An unknown address, a wrong password, a locked account and a disabled account all return the same error.",
		Access:     access.Public(),
		Effect:     command.Writes,
		Through:    maintenance.Closed,
		Trigger:    flow.Login,
		Limits:     []limit.Spec{limit.PerMinute(limit.IP, 10)},
		SpikeGuard: true,
		Guarded:    true,
		Emits: []event.Kind{
			loginevent.KindSucceeded, loginevent.KindFailed, session.KindCreated, credential.KindLocked, mfa.KindChallenged,
			workspace.KindMemberAdded,
		},
		Handle: func(ctx context.Context, call command.Call, p LoginParams) (login.Outcome, error) {
			return s.Login.ByPassword(ctx, call, login.Attempt{Email: p.Email, Password: p.Password, Org: p.OrgID, Device: p.Device})
		},
	})
}
