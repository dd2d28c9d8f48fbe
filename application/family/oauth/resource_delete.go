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
	ResourceID resource.ID `json:"resource_id" doc:"ID of the API."`
}

// ResourceDeleteResult is the result of OAUTH.RESOURCE_DELETE.
type ResourceDeleteResult struct {
	Deleted bool `json:"deleted" doc:"Always true."`
}

const resourceDeleteDescription = "No more tokens are issued for the API. Existing tokens stay valid until they expire.\n\n" +
	"The audience stays reserved for the workspace, which can register it again. If it is the slug of one of the workspace's apps, it remains an " +
	"audience without the API."

func (s *Service) resourceDelete() command.Definition {
	return command.Define(command.Spec[ResourceDeleteParams, ResourceDeleteResult]{
		Name:        "OAUTH.RESOURCE_DELETE",
		Summary:     "Delete an API.",
		Description: resourceDeleteDescription,
		Access:      access.Holding(write),
		Effect:      command.Writes,
		Emits:       []event.Kind{resource.KindDeleted},
		Handle: func(ctx context.Context, call command.Call, p ResourceDeleteParams) (ResourceDeleteResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				target, err := visible(ctx, tx, call.Caller, p.ResourceID)
				if err != nil {
					return err
				}
				target.Delete()
				return tx.Resources.Delete(ctx, target)
			})
			if err != nil {
				return ResourceDeleteResult{}, err
			}
			return ResourceDeleteResult{Deleted: true}, nil
		},
	})
}
