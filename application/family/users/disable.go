package users

import (
	"context"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

var errUntil = fault.Unfit("/until", "must be in the future")

// DisableParams are the parameters of USER.DISABLE.
type DisableParams struct {
	UserID user.ID   `json:"user_id" doc:"The account; not your own."`
	Reason string    `json:"reason,omitzero" doc:"Why; it stands in the event log, where the person can read it once enabled again." jsonschema:"maxLength=500,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=left the company"`
	Until  time.Time `json:"until,omitzero" doc:"When it may be used again; absent: when it is enabled."`
}

func (s *Service) disable() command.Definition {
	return command.Define(command.Spec[DisableParams, UserResult]{
		Name:    "USER.DISABLE",
		Summary: "Stop an account from logging in, for good or until a time, and end its sessions; the last superadmin cannot be disabled, nor can you disable yourself.",
		Access:  access.Holding(manage),
		Effect:  command.Writes,
		Emits:   []event.Kind{user.KindDisabled, session.KindRevoked},
		Handle: func(ctx context.Context, call command.Call, p DisableParams) (UserResult, error) {
			now := s.Clock.Now()
			switch {
			case p.UserID == call.Caller.User:
				return UserResult{}, errOneself
			case !p.Until.IsZero() && !p.Until.After(now):
				return UserResult{}, errUntil
			}
			var after user.Snapshot
			err := s.Unit.Do(ctx, func(tx Repos) error {
				u, err := account.Managed(ctx, tx.Users, call.Caller, p.UserID)
				if err != nil {
					return err
				}
				if err := s.spared(ctx, tx, u); err != nil {
					return err
				}
				u.Disable(p.Reason, p.Until.UTC().Truncate(time.Microsecond), now)
				after = u.Snapshot()
				_, err = s.end(ctx, tx, u, account.Ending{Reason: session.ByDisable})
				return err
			})
			if err != nil {
				return UserResult{}, err
			}
			return UserResult{User: view.OfUser(after, now)}, nil
		},
	})
}
