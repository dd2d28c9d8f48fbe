package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
)

// SwitchParams are the parameters of TEAM.SWITCH.
type SwitchParams struct {
	OrgID workspace.ID `json:"org_id" doc:"A workspace that the caller belongs to."`
}

func (s *Service) switchTo() command.Definition {
	return command.Define(command.Spec[SwitchParams, login.Outcome]{
		Name: "TEAM.SWITCH",
		Summary: "Make another workspace the active one of the session: a new token pair, or a challenge where that workspace asks for a second factor which is missing. " +
			"Access tokens from before are expired; the refresh token from before is good for a retry, as one that AUTH.REFRESH replaced.",
		Access:  access.User().InPerson().Anywhere(),
		Effect:  command.Writes,
		Through: maintenance.ReadOnly,
		Trigger: flow.Login,
		EndsOwn: func(access.Caller, SwitchParams) bool { return true },
		Emits:   []event.Kind{session.KindTeamSwitched, mfa.KindChallenged},
		Handle: func(ctx context.Context, call command.Call, p SwitchParams) (login.Outcome, error) {
			return s.Login.Switch(ctx, call, p.OrgID)
		},
	})
}
