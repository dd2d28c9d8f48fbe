package users

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
)

func (s *Service) me() command.Definition {
	return command.Define(command.Spec[command.None, view.User]{
		Name:    "USER.ME",
		Summary: "Retrieve your own profile.",
		Access:  access.User().Unproved().Anywhere(),
		Effect:  command.Reads,
		Handle: func(_ context.Context, call command.Call, _ command.None) (view.User, error) {
			return view.OfUser(call.Caller.Profile, s.Clock.Now()), nil
		},
	})
}
