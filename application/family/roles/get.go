package roles

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/role"
)

// GetParams are the parameters of ROLE.GET.
type GetParams struct {
	RoleID role.ID `json:"role_id" doc:"ID of the custom role."`
}

// GetResult is the result of ROLE.GET.
type GetResult struct {
	Role                 Role     `json:"role" doc:"The role."`
	Permissions          []string `json:"permissions" doc:"Permissions that the role grants directly."`
	EffectivePermissions []string `json:"effective_permissions" doc:"All permissions that the role grants, including inherited ones."`
}

func (s *Service) get() command.Definition {
	return command.Define(command.Spec[GetParams, GetResult]{
		Name:        "ROLE.GET",
		Summary:     "Retrieve a custom role, with all permissions that it grants.",
		Description: "The permissions include the ones from inherited roles.",
		Access:      access.Holding(reading),
		Effect:      command.Reads,
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
