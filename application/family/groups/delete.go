package groups

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/group"
)

// DeleteParams are the parameters of GROUP.DELETE.
type DeleteParams struct {
	GroupID group.ID `json:"group_id" doc:"ID of the group."`
}

// DeleteResult is the result of GROUP.DELETE.
type DeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) delete() command.Definition {
	return command.Define(command.Spec[DeleteParams, DeleteResult]{
		Name:        "GROUP.DELETE",
		Summary:     "Delete a group.",
		Description: "Its members lose what the group granted. You must hold everything that the group grants.",
		Access:      access.Holding(writing).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{group.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p DeleteParams) (DeleteResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				book, g, err := held(ctx, tx, call.Caller, p.GroupID)
				if err != nil {
					return err
				}
				if err := covers(call.Caller, book, g); err != nil {
					return err
				}
				g.Delete()
				return tx.Groups.Delete(ctx, g)
			})
			if err != nil {
				return DeleteResult{}, err
			}
			return DeleteResult{Deleted: true}, nil
		},
	})
}
