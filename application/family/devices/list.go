package devices

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/user"
)

// ListParams are the parameters of DEVICE.LIST.
type ListParams struct {
	UserID user.ID `json:"user_id,omitzero" doc:"User whose devices to list. Other users require the permission users:manage. Defaults to you."`
}

// ListResult is the result of DEVICE.LIST.
type ListResult struct {
	Items []Device `json:"items" doc:"Remembered devices, newest first. At most 50."`
}

func (s *Service) list() command.Definition {
	return command.Define(command.Spec[ListParams, ListResult]{
		Name:        "DEVICE.LIST",
		Summary:     "List remembered devices.",
		Description: "Sign-ins from a remembered device skip the second factor.",
		Access:      access.Anybody(),
		Effect:      command.Reads,
		Handle: func(ctx context.Context, call command.Call, p ListParams) (ListResult, error) {
			owner, err := account.Whose(ctx, s.Users, call.Caller, p.UserID)
			if err != nil {
				return ListResult{}, err
			}
			found, err := s.Directory.List(ctx, owner, s.Clock.Now())
			if err != nil {
				return ListResult{}, err
			}
			result := ListResult{Items: make([]Device, 0, len(found))}
			for _, one := range found {
				result.Items = append(result.Items, show(one))
			}
			return result, nil
		},
	})
}
