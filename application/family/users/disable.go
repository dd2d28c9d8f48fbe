package users

import (
	"context"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

var errUntil = fault.Unfit("/until", "must be in the future")

// DisableParams are the parameters of USER.DISABLE.
type DisableParams struct {
	UserID user.ID   `json:"user_id" doc:"ID of the account. Cannot be your own."`
	Reason string    `json:"reason,omitzero" doc:"Reason for disabling the account. Recorded in the event log, where the account's owner can read it once the account is enabled again." jsonschema:"maxLength=500,pattern=^[^\\x00-\\x1f\\x7f-\\x9f]*$,example=left the company"`
	Until  time.Time `json:"until,omitzero" doc:"When the account is enabled again. Omit to disable it until USER.ENABLE."`
}

// DisableResult is the result of USER.DISABLE.
type DisableResult struct {
	User view.User `json:"user" doc:"The disabled account."`

	account.Ended
}

const disableDescription = "Its sessions, API keys, OAuth grants, pending sign-ins and remembered devices end and do not come back when the account " +
	"is enabled.\n\n" +
	"Apps of its personal workspace get no tokens, and their existing tokens do not work, until the account is enabled again.\n\n" +
	"You cannot disable yourself or the last superadmin."

func (s *Service) disable() command.Definition {
	return command.Define(command.Spec[DisableParams, DisableResult]{
		Name:        "USER.DISABLE",
		Summary:     "Disable an account, permanently or until a given time.",
		Description: disableDescription,
		Access:      access.Holding(manage),
		Effect:      command.Writes,
		Withdraws:   true,
		Emits:       append(account.EndedKinds(), user.KindDisabled),
		Handle: func(ctx context.Context, call command.Call, p DisableParams) (DisableResult, error) {
			now := s.Clock.Now()
			switch {
			case p.UserID == call.Caller.User:
				return DisableResult{}, errOneself
			case !p.Until.IsZero() && !p.Until.After(now):
				return DisableResult{}, errUntil
			}
			var result DisableResult
			err := s.Unit.Do(ctx, func(tx Repos) error {
				u, err := account.Managed(ctx, tx.Users, call.Caller, p.UserID)
				if err != nil {
					return err
				}
				if err := tx.Sessions.HoldOff(ctx, u.ID(), ""); err != nil {
					return err
				}
				if err := s.spared(ctx, tx, u); err != nil {
					return err
				}
				u.Disable(p.Reason, p.Until.UTC().Truncate(time.Microsecond), now)
				result.User = view.OfUser(u.Snapshot(), now)
				result.Ended, err = tx.End(ctx, u, account.EndOptions{Reason: session.ByDisable}, now)
				return err
			})
			return result, err
		},
	})
}
