package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// DisableParams are the parameters of TEAM.DISABLE.
type DisableParams struct {
	OrgID  workspace.ID `json:"org_id" doc:"ID of the workspace."`
	Reason string       `json:"reason,omitzero" doc:"Reason for the suspension. Recorded in the event log." jsonschema:"maxLength=500,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=unpaid"`
}

const disableDescription = "Until `TEAM.ENABLE`, only superadmins can act in the workspace. Its apps and API keys are refused, and its tokens are " +
	"not active.\n\n" +
	"No data is lost. Members can switch to another workspace, and an owner can delete this one."

func (s *Service) disable() command.Definition {
	return command.Define(command.Spec[DisableParams, OrganizationResult]{
		Name:        "TEAM.DISABLE",
		Summary:     "Suspend a workspace until it is enabled again.",
		Description: disableDescription,
		Access:      access.Superadmin(),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       []event.Kind{workspace.KindDisabled},
		Handle: func(ctx context.Context, _ command.Call, p DisableParams) (OrganizationResult, error) {
			return s.changed(ctx, p.OrgID, func(w *workspace.Workspace) { w.Disable(p.Reason, s.now()) })
		},
	})
}
