package auth

import (
	"context"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/maintenance"
	"gatehouse.internal/domain/session"
)

// LogoutResult is the result of AUTH.LOGOUT.
type LogoutResult struct {
	Revoked bool `json:"revoked" doc:"Always true."`
}

func (s *Service) logout() command.Definition {
	return command.Define(command.Spec[command.None, LogoutResult]{
		Name:        "AUTH.LOGOUT",
		Summary:     "Sign out of the current session.",
		Description: "The session ends with its access and refresh tokens.",
		Access:      access.User().InPerson().Unproved().Anywhere(),
		Effect:      command.Writes,
		Withdraws:   true,
		Through:     maintenance.Closed,
		EndsOwn:     func(access.Caller, command.None) bool { return true },
		Emits:       []event.Kind{session.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, _ command.None) (LogoutResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				current, err := tx.Sessions.ByID(ctx, call.Caller.Session)
				if err != nil {
					return err
				}
				current.End(session.ByLogout, s.Clock.Now())
				return tx.Sessions.Save(ctx, current)
			})
			if err != nil {
				return LogoutResult{}, err
			}
			return LogoutResult{Revoked: true}, nil
		},
	})
}
