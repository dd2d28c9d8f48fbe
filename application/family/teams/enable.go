package teams

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/workspace"
)

// EnableParams are the parameters of TEAM.ENABLE.
type EnableParams struct {
	OrgID workspace.ID `json:"org_id" doc:"ID of the workspace."`
}

func (s *Service) enable() command.Definition {
	return command.Define(command.Spec[EnableParams, OrganizationResult]{
		Name:        "TEAM.ENABLE",
		Summary:     "Lift the suspension of a workspace.",
		Description: "Its apps, API keys and tokens work again as before.",
		Access:      access.Superadmin().Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{workspace.KindEnabled},
		Handle: func(ctx context.Context, _ command.Call, p EnableParams) (OrganizationResult, error) {
			return s.changed(ctx, p.OrgID, func(w *workspace.Workspace) { w.Enable() })
		},
	})
}

// changed changes a workspace by a verb that may change nothing.
func (s *Service) changed(ctx context.Context, org workspace.ID, do func(*workspace.Workspace)) (OrganizationResult, error) {
	var w *workspace.Workspace
	err := s.Unit.Do(ctx, func(tx Repos) (err error) {
		if w, err = tx.Workspaces.ByID(ctx, org); err != nil {
			return err
		}
		if do(w); !w.Changed() {
			return nil
		}
		return tx.Workspaces.Save(ctx, w)
	})
	if err != nil {
		return OrganizationResult{}, err
	}
	return s.shown(ctx, w)
}
