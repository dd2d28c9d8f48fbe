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
	OrgID workspace.ID `json:"org_id" doc:"ID of a workspace that you are a member of."`
}

const switchDescription = "Returns a new token pair. If the workspace requires a second factor that your session lacks, it returns a challenge " +
	"instead.\n\n" +
	"Previous access tokens expire. The previous refresh token is valid only for a retry, like one that `AUTH.REFRESH` " +
	"replaced."

func (s *Service) switchTo() command.Definition {
	return command.Define(command.Spec[SwitchParams, login.Outcome]{
		Name:        "TEAM.SWITCH",
		Summary:     "Switch the session to another workspace.",
		Description: switchDescription,
		Access:      access.User().InPerson().Anywhere(),
		Effect:      command.Writes,
		Through:     maintenance.ReadOnly,
		Trigger:     flow.Login,
		EndsOwn:     func(access.Caller, SwitchParams) bool { return true },
		Emits:       []event.Kind{session.KindTeamSwitched, mfa.KindChallenged},
		Handle: func(ctx context.Context, call command.Call, p SwitchParams) (login.Outcome, error) {
			return s.Login.Switch(ctx, call, p.OrgID)
		},
	})
}
