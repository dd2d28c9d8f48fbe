package users

import (
	"context"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// UnlockParams are the parameters of USER.UNLOCK.
type UnlockParams struct {
	UserID user.ID `json:"user_id" doc:"ID of the account."`
}

// UnlockResult is the result of USER.UNLOCK.
type UnlockResult struct {
	Unlocked bool `json:"unlocked" doc:"Always true. The account is not locked."`
}

func (s *Service) unlock() command.Definition {
	return command.Define(command.Spec[UnlockParams, UnlockResult]{
		Name:        "USER.UNLOCK",
		Summary:     "Unlock an account that was locked by wrong passwords or wrong second-factor codes.",
		Description: "The counts of wrong attempts are reset.",
		Access:      access.Holding(manage),
		Effect:      command.Writes,
		Emits:       []event.Kind{credential.KindUnlocked},
		Handle: func(ctx context.Context, call command.Call, p UnlockParams) (UnlockResult, error) {
			err := s.Unit.Do(ctx, func(tx Repos) error {
				// Without the lock, whoever lifts it could guess on and on.
				if _, err := account.Entrusted(ctx, tx.Users, call.Caller, p.UserID); err != nil {
					return err
				}
				return tx.unlock(ctx, p.UserID, s.Clock.Now())
			})
			if err != nil {
				return UnlockResult{}, err
			}
			return UnlockResult{Unlocked: true}, nil
		},
	})
}

// unlock lifts the locks of an account, if there are any.
func (tx Repos) unlock(ctx context.Context, of user.ID, now time.Time) error {
	c, err := tx.Credentials.ByUser(ctx, of)
	if err != nil {
		return err
	}
	held, err := tx.Factors.ByUser(ctx, of)
	if err != nil {
		return err
	}
	codes := held.Failing(now)
	if !codes && !c.Locked(now) && !c.Failing() {
		return nil
	}
	if codes {
		held.Unlock()
		if err := tx.Factors.Save(ctx, held); err != nil {
			return err
		}
	}
	c.Unlock()
	return tx.Credentials.Save(ctx, c)
}
