package recovery

import (
	"context"
	"errors"

	"gatehouse.internal/application/account"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

// ErrTaken refuses an address that somebody else came to have meanwhile.
var ErrTaken = fault.Invalid("/token", "the address was registered for another account meanwhile")

// Verify notes that an address was proved by a link: the one that the account has,
// or the one that it was to get. It gives the address. It fails with
// challenge.ErrGone or ErrTaken.
func (s *Service) Verify(ctx context.Context, token secret.String) (email.Address, error) {
	var verified email.Address
	err := s.Unit.Do(ctx, func(tx Repos) error {
		link, err := s.take(ctx, tx, token, challenge.EmailVerification, challenge.EmailChange)
		if err != nil {
			return err
		}
		if !link.box.Was.IsZero() {
			verified = link.box.Email
			return s.move(ctx, tx, link)
		}
		verified = link.user.Snapshot().Email
		link.user.VerifyEmail(s.Clock.Now())
		return tx.Users.Save(ctx, link.user)
	})
	return verified, err
}

// move gives an account the address that was proved. What was mailed to the one
// before works no more.
func (s *Service) move(ctx context.Context, tx Repos, link taken) error {
	held, err := tx.Credentials.ByUser(ctx, link.user.ID())
	if err != nil {
		return err
	}
	if held.Snapshot().SetAt.After(link.box.Asked) {
		return challenge.ErrGone
	}
	until := link.user.Snapshot().Email
	link.user.ChangeEmail(link.box.Email, true, s.Clock.Now())
	err = tx.Users.Save(ctx, link.user)
	if errors.Is(err, user.ErrEmailTaken) {
		return ErrTaken
	}
	if err != nil {
		return err
	}
	if err := account.DropLinks(ctx, tx.Challenges, link.user.ID()); err != nil {
		return err
	}
	return account.TellMoved(ctx, tx.Mails, link.user.ID(), until)
}
