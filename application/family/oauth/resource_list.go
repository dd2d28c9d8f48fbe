package oauth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/engine/page"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/ports/outbound/machines"
)

func (s *Service) resourceList() command.Definition {
	return command.Define(command.Spec[page.Params, page.Of[Resource]]{
		Name:    "OAUTH.RESOURCE_LIST",
		Summary: "List the APIs of the workspace.",
		Description: "APIs are listed newest first. The list includes audiences that an app claimed by being the first to request them. Superadmins see the APIs " +
			"of all workspaces and of the instance.",
		Access: access.Holding(read),
		Effect: command.Reads,
		Handle: func(ctx context.Context, call command.Call, p page.Params) (page.Of[Resource], error) {
			org, err := call.Caller.Horizon()
			if err != nil {
				return page.Of[Resource]{}, err
			}
			list := s.Cursors.List("OAUTH.RESOURCE_LIST|"+org.String(), p)
			before, err := list.Position()
			if err != nil {
				return page.Of[Resource]{}, err
			}
			found, err := s.Directory.List(ctx, machines.ResourceQuery{Org: org, Before: resource.ID(before), Limit: p.Size() + 1})
			if err != nil {
				return page.Of[Resource]{}, err
			}
			return page.Cut(list, found, func(one resource.Snapshot) string { return one.ID.String() }, show), nil
		},
	})
}
