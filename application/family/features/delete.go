package features

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/feature"
)

// DeleteParams are the parameters of FEATURE.DELETE.
type DeleteParams struct {
	Key feature.Key `json:"key" doc:"Key of the feature."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeletedResult]{
		Name:        "FEATURE.DELETE",
		Summary:     "Delete a feature and its overrides.",
		Description: "Licenses that grant the feature keep their values.",
		Access:      access.Holding(writing),
		Effect:      command.Writes,
		Emits:       []event.Kind{feature.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeletedResult, error) {
			err := s.change(ctx, call.Caller, p.Key, func(tx Repos, f *feature.Feature, _ int) error {
				f.Delete()
				return tx.Features.Delete(ctx, f)
			})
			if err != nil {
				return DeletedResult{}, err
			}
			return DeletedResult{true}, nil
		},
	})
}
