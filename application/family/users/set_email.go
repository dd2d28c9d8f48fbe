package users

import (
	"context"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/application/view"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
)

// SetEmailParams are the parameters of USER.SET_EMAIL.
type SetEmailParams struct {
	UserID   user.ID       `json:"user_id" doc:"ID of the account."`
	Email    email.Address `json:"email" doc:"New email address. Pass the current address to change only verified."`
	Verified *bool         `json:"verified,omitzero" doc:"Whether the address is known to belong to the account's owner. By default, a new address is unverified and an unchanged address keeps its state."`
}

const setEmailDescription = "Links that were emailed before stop working. If the address changes, the previous address is notified, and a new address " +
	"that is not verified receives a verification email."

func (s *Service) setEmail() command.Definition {
	return command.Define(command.Spec[SetEmailParams, UserResult]{
		Name:        "USER.SET_EMAIL",
		Summary:     "Correct the email address of an account, or its verified state.",
		Description: setEmailDescription,
		Access:      access.Holding(manage).Recent(),
		Effect:      command.Writes,
		Emits:       []event.Kind{user.KindEmailChanged},
		Handle: func(ctx context.Context, call command.Call, p SetEmailParams) (UserResult, error) {
			var after user.Snapshot
			err := s.Login.Unit.Do(ctx, func(tx login.Repos) error {
				u, err := account.Entrusted(ctx, tx.Users, call.Caller, p.UserID)
				if err != nil {
					return err
				}
				until := u.Snapshot()
				u.ChangeEmail(p.Email, p.proof(until), s.Clock.Now())
				after = u.Snapshot()
				if !u.Changed() {
					return nil
				}
				if err := tx.Users.Save(ctx, u); err != nil {
					return err
				}
				if err := account.DropLinks(ctx, tx.Challenges, u.ID()); err != nil {
					return err
				}
				return tellSetEmail(ctx, tx, until, after)
			})
			if err != nil {
				return UserResult{}, err
			}
			return UserResult{User: view.OfUser(after, s.Clock.Now())}, nil
		},
	})
}

// proof is how far the address counts as proved. The administrator who says that it is
// the person's says so of this account.
func (p SetEmailParams) proof(until user.Snapshot) user.EmailProof {
	switch {
	case p.Verified != nil && *p.Verified:
		return user.Bound
	case p.Verified == nil && p.Email.Folded() == until.Email.Folded():
		return until.EmailProof()
	default:
		return user.Unproved
	}
}

// tellSetEmail mails whom a corrected address concerns.
func tellSetEmail(ctx context.Context, tx login.Repos, until, after user.Snapshot) error {
	if until.Email.Folded() == after.Email.Folded() {
		return nil
	}
	if err := account.TellMoved(ctx, tx.Mails, until); err != nil || after.EmailVerified {
		return err
	}
	return account.QueueVerification(ctx, tx.Mails, after.ID, after.Email)
}
