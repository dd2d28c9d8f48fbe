package users

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// EnableParams are the parameters of USER.ENABLE.
type EnableParams struct {
	UserID user.ID `json:"user_id" doc:"The account."`
}

func (s *Service) enable() command.Definition {
	return command.Define(command.Spec[EnableParams, UserResult]{
		Name:    "USER.ENABLE",
		Summary: "Let a disabled account sign in again; one that is not disabled stays as it is.",
		Access:  access.Holding(manage).Recent(),
		Effect:  command.Writes,
		Emits:   []event.Kind{user.KindEnabled},
		Handle: func(ctx context.Context, call command.Call, p EnableParams) (UserResult, error) {
			return s.changed(ctx, call.Caller, p.UserID, func(_ Repos, u *user.User) error {
				u.Enable(s.Clock.Now())
				return nil
			})
		},
	})
}
