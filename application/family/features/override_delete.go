package features

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// OverrideDeleteParams are the parameters of FEATURE.OVERRIDE_DELETE.
type OverrideDeleteParams struct {
	Key    feature.Key  `json:"key" doc:"Key of the feature."`
	UserID user.ID      `json:"user_id,omitzero" doc:"Account that the override is for. Provide either user_id or org_id."`
	OrgID  workspace.ID `json:"org_id,omitzero" doc:"Workspace that the override is for. Provide either user_id or org_id." example:"-"`
}

func (s *Service) overrideDelete() command.Definition {
	return command.Define(command.Spec[OverrideDeleteParams, DeletedResult]{
		Name:           "FEATURE.OVERRIDE_DELETE",
		Summary:        "Delete the override of a feature for a person or workspace.",
		Description:    "Licenses, subscriptions, rules and the default decide again.",
		Access:         access.Holding(writing),
		AboutWorkspace: true,
		Effect:         command.Writes,
		Emits:          []event.Kind{feature.KindOverrideDeleted},
		Handle: func(ctx context.Context, call command.Call, p OverrideDeleteParams) (DeletedResult, error) {
			org, err := home(call.Caller)
			if err != nil {
				return DeletedResult{}, err
			}
			whose := feature.Target{UserID: p.UserID, OrgID: p.OrgID}
			if err := whose.Check(); err != nil {
				return DeletedResult{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				if _, err := tx.Features.ByKey(ctx, org, p.Key); err != nil {
					return err
				}
				gone, err := tx.Overrides.Get(ctx, org, p.Key, whose, s.now())
				if err != nil {
					return err
				}
				if err := tx.Overrides.Delete(ctx, gone); err != nil {
					return err
				}
				return tx.Events.Record(ctx, gone.Deleted())
			})
			if err != nil {
				return DeletedResult{}, err
			}
			return DeletedResult{true}, nil
		},
	})
}
