package roles

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/role"
)

// GetParams are the parameters of ROLE.GET.
type GetParams struct {
	RoleID role.ID `json:"role_id" doc:"The custom role."`
}

// GetResult is the result of ROLE.GET.
type GetResult struct {
	Role                 Role     `json:"role" doc:"The role."`
	Permissions          []string `json:"permissions" doc:"What it grants by itself."`
	EffectivePermissions []string `json:"effective_permissions" doc:"All that it grants, with what it inherits."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:    "ROLE.GET",
		Summary: "One custom role of the workspace, with all that it grants through the roles that it inherits.",
		Access:  access.Holding(reading),
		Effect:  command.Reads,
		Handle: func(ctx context.Context, call command.Call, p GetParams) (GetResult, error) {
			book, err := s.book(ctx, call.Caller, "")
			if err != nil {
				return GetResult{}, err
			}
			found, known := book.ByKey(p.RoleID.String())
			if !known {
				return GetResult{}, role.ErrNotFound
			}
			shown := show(book, found)
			return GetResult{
				Role: shown, Permissions: shown.Permissions, EffectivePermissions: append([]string{}, found.Permissions...),
			}, nil
		},
	})
}
