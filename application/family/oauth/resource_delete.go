package oauth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/resource"
)

// ResourceDeleteParams are the parameters of OAUTH.RESOURCE_DELETE.
type ResourceDeleteParams struct {
	ResourceID resource.ID `json:"resource_id" doc:"The API."`
}

// ResourceDeleteResult is the result of OAUTH.RESOURCE_DELETE.
type ResourceDeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

func (s *Service) resourceDelete() command.Definition {
	return command.Define(command.Spec[ResourceDeleteParams, ResourceDeleteResult]{
		Name: "OAUTH.RESOURCE_DELETE",
		Summary: "Delete an API: tokens for it are issued no more, those there are live until they expire. " +
			"The audience stays with the workspace, which may register it anew, unless it is the slug of one of its apps: that stays an audience.",
		Access: access.Holding(write),
		Effect: command.Writes,
		Emits:  []event.Kind{resource.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p ResourceDeleteParams) (ResourceDeleteResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				target, err := visible(ctx, tx, call.Caller, p.ResourceID)
				if err != nil {
					return err
				}
				target.Delete()
				return tx.Resources.Delete(ctx, target)
			})
			return ResourceDeleteResult{Deleted: err == nil}, err
		},
	})
}
