package groups

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/group"
)

// GetParams are the parameters of GROUP.GET.
type GetParams struct {
	GroupID group.ID `json:"group_id" doc:"ID of the group."`
}

// GetResult is the result of GROUP.GET.
type GetResult struct {
	Group       Group    `json:"group" doc:"The group."`
	Roles       []string `json:"roles" doc:"Names of the roles that every member of the group holds."`
	MemberCount int      `json:"member_count" doc:"Number of members."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:    "GROUP.GET",
		Summary: "Retrieve a group of the workspace, with its roles and number of members.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			found, err := s.Directory.Find(ctx, call.Caller.Org, p.GroupID)
			if err != nil {
				return GetResult{}, err
			}
			book, err := s.Books.Now(ctx, call.Caller.Org)
			if err != nil {
				return GetResult{}, err
			}
			size, err := s.Directory.Size(ctx, found.ID)
			shown := show(book, found)
			return GetResult{Group: shown, Roles: shown.Roles, MemberCount: size}, err
		},
	})
}
