package users

import (
	"context"

	"gatehouse.internal/application/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// SetSuperadminParams are the parameters of USER.SET_SUPERADMIN.
type SetSuperadminParams struct {
	UserID       user.ID `json:"user_id" doc:"The account."`
	IsSuperadmin bool    `json:"is_superadmin" doc:"Whether it is to be a superadmin."`
}

func (s *Service) setSuperadmin() command.Definition {
	return command.Define(command.Spec[SetSuperadminParams, UserResult]{
		Name:    "USER.SET_SUPERADMIN",
		Summary: "Make somebody a superadmin, or no longer one; the last one whose account may be used stays.",
		Access:  access.Superadmin(),
		Effect:  command.Writes,
		Emits:   []event.Kind{user.KindSuperadminChanged},
		Handle: func(ctx context.Context, call command.Call, p SetSuperadminParams) (UserResult, error) {
			return s.changed(ctx, call.Caller, p.UserID, func(tx Repos, u *user.User) error {
				if !p.IsSuperadmin {
					if err := s.spared(ctx, tx, u); err != nil {
						return err
					}
				}
				u.SetSuperadmin(p.IsSuperadmin, s.Clock.Now())
				return nil
			})
		},
	})
}
