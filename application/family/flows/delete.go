package flows

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
)

// DeleteParams are the parameters of FLOW.DELETE.
type DeleteParams struct {
	Name flow.Name `json:"name" doc:"Name of the flow."`
	ScopeParams
}

// DeleteResult is the result of FLOW.DELETE.
type DeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:        "FLOW.DELETE",
		Summary:     "Delete a flow and its versions.",
		Description: "If the flow was enabled, only the built-in handling of its trigger remains.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{flow.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			org, err := p.at(call.Caller)
			if err != nil {
				return DeleteResult{}, err
			}
			err = s.Unit.Do(ctx, func(tx Repos) error {
				if err := tx.Flows.Hold(ctx, org); err != nil {
					return err
				}
				f, err := tx.Flows.ByName(ctx, org, p.Name)
				if err != nil {
					return err
				}
				f.Delete()
				return tx.Flows.Delete(ctx, f)
			})
			if err != nil {
				return DeleteResult{}, err
			}
			return DeleteResult{Deleted: true}, nil
		},
	})
}
