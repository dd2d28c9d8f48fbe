package users

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// SetSuperadminParams are the parameters of USER.SET_SUPERADMIN.
type SetSuperadminParams struct {
	UserID       user.ID `json:"user_id" doc:"ID of the account."`
	IsSuperadmin bool    `json:"is_superadmin" doc:"Whether the account is a superadmin."`
}

const setSuperadminDescription = "The last superadmin whose account is usable keeps the rights.\n\n" +
	"Granting the rights invalidates the account's emailed links, bypass codes and sign-ins waiting for a second factor."

func (s *Service) setSuperadmin() command.Definition {
	return command.Define(command.Spec[SetSuperadminParams, UserResult]{
		Name:        "USER.SET_SUPERADMIN",
		Summary:     "Grant or revoke superadmin rights.",
		Description: setSuperadminDescription,
		Access:      access.Superadmin().Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{user.KindSuperadminChanged},
		Handle: func(ctx context.Context, call command.Call, p SetSuperadminParams) (UserResult, error) {
			return s.changed(ctx, call.Caller, p.UserID, func(tx Repos, u *user.User) error {
				if !p.IsSuperadmin {
					if err := s.spared(ctx, tx, u); err != nil {
						return err
					}
				}
				promoted := p.IsSuperadmin && !u.Snapshot().Superadmin
				u.SetSuperadmin(p.IsSuperadmin, s.Clock.Now())
				if !promoted {
					return nil
				}
				return disarm(ctx, tx, u)
			})
		},
	})
}

// disarm stores somebody who becomes a superadmin, and ends what others were given to
// enter the account by: links, bypass codes, and logins that wait for a factor. The
// factors are stored even where nothing of them changes, so that a bypass which is
// being made meets their version. Of when the account's keys were used before, nothing
// is kept: what they are used for from now on is another thing.
func disarm(ctx context.Context, tx Repos, u *user.User) error {
	if err := tx.Users.Save(ctx, u); err != nil {
		return err
	}
	if err := account.DropLinks(ctx, tx.Challenges, u.ID()); err != nil {
		return err
	}
	held, err := tx.Factors.ByUser(ctx, u.ID())
	if err != nil {
		return err
	}
	held.WithdrawBypass()
	if err := tx.Factors.Save(ctx, held); err != nil {
		return err
	}
	return tx.Uses.Forget(ctx, u.ID())
}
