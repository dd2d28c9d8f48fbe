package recovery

import (
	"context"
	"errors"

	"gatehouse.internal/application/account"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Reset sets a new password by a link and ends whatever the one before let in; it
// tells how many sessions. It fails with challenge.ErrGone, or with what is wrong
// with the password: that is said before the link is used, so that it can be tried
// again.
func (s *Service) Reset(ctx context.Context, token, plain secret.String) (int, error) {
	hash, err := s.accept(ctx, token, plain)
	if err != nil {
		return 0, err
	}
	ended := 0
	err = s.Unit.Do(ctx, func(tx Repos) error {
		link, err := s.take(ctx, tx, token, challenge.PasswordReset)
		if err != nil {
			return err
		}
		ended, err = s.replace(ctx, tx, link, hash)
		return err
	})
	return ended, err
}

// accept judges and hashes a new password for the account behind a link.
func (s *Service) accept(ctx context.Context, token, plain secret.String) (string, error) {
	digest := challenge.Digest(token.Reveal())
	waiting, err := s.Links.Find(ctx, digest, s.Clock.Now(), challenge.PasswordReset)
	if err != nil {
		return "", err
	}
	whose, err := s.Directory.Find(ctx, outbound.UserKey{ID: waiting.UserID})
	if errors.Is(err, user.ErrNotFound) || (err == nil && !whose.Usable(s.Clock.Now())) {
		return "", challenge.ErrGone
	}
	if err != nil {
		return "", err
	}
	rules, err := s.Policies.OfUser(ctx, whose.ID)
	if err != nil {
		return "", err
	}
	owner := password.Owner{Email: whose.Email.String(), Name: whose.DisplayName}
	return s.Passwords.Accept(ctx, "/password", plain, owner, rules.Password)
}

// replace stores the new password. Who came by mail has proved the address too.
func (s *Service) replace(ctx context.Context, tx Repos, link taken, hash string) (int, error) {
	now, claimed := s.Clock.Now(), 0
	var err error
	if !link.box.Handed {
		if claimed, err = tx.claiming().Claim(ctx, link.user, "", now); err != nil {
			return 0, err
		}
	}
	held, err := tx.Credentials.ByUser(ctx, link.user.ID())
	if err != nil {
		return 0, err
	}
	held.Reset(hash, now)
	if err := tx.Credentials.Save(ctx, held); err != nil {
		return 0, err
	}
	if err := tx.Devices.RevokeAll(ctx, link.user.ID()); err != nil {
		return 0, err
	}
	link.user.Fulfil(user.ChangePassword, now)
	ended, err := tx.claiming().End(ctx, link.user, account.Ending{Reason: session.ByPasswordChange}, now)
	return claimed + ended, err
}
