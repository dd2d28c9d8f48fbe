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
	OrgID  workspace.ID `json:"org_id" doc:"The workspace."`
	Reason string       `json:"reason,omitzero" doc:"Why; it stands in the event log." jsonschema:"maxLength=500,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=unpaid"`
}

func (s *Service) disable() command.Definition {
	return command.Define(command.Spec[DisableParams, OrganizationResult]{
		Name: "TEAM.DISABLE",
		Summary: "Suspend a workspace: until TEAM.ENABLE nobody but superadmins acts in it, its apps and API keys are refused, and its tokens are not active. " +
			"Nothing is lost: people can switch to another workspace, and an owner can delete this one.",
		Access:    access.Superadmin(),
		Effect:    command.Writes,
		Withdraws: true,
		Emits:     []event.Kind{workspace.KindDisabled},
		Handle: func(ctx context.Context, _ command.Call, p DisableParams) (OrganizationResult, error) {
			return s.changed(ctx, p.OrgID, func(w *workspace.Workspace) { w.Disable(p.Reason, s.now()) })
		},
	})
}
