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
	UserID user.ID `json:"user_id" doc:"ID of the account."`
}

func (s *Service) enable() command.Definition {
	return command.Define(command.Spec[EnableParams, UserResult]{
		Name:        "USER.ENABLE",
		Summary:     "Enable a disabled account, so that it can sign in again.",
		Description: "Does nothing if the account is not disabled.",
		Access:      access.Holding(manage).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{user.KindEnabled},
		Handle: func(ctx context.Context, call command.Call, p EnableParams) (UserResult, error) {
			return s.changed(ctx, call.Caller, p.UserID, func(_ Repos, u *user.User) error {
				u.Enable(s.Clock.Now())
				return nil
			})
		},
	})
}
