package login

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/login"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// ErrWrongPassword is the one answer to a password that does not prove who calls,
// also while the account is locked.
var ErrWrongPassword = fault.New(fault.Auth, "the current password is wrong")

// errMoved says that the password was changed while it was being compared.
var errMoved = errors.New("the stored hash changed during the comparison")

// settled tries again while the password keeps changing under the comparison; it
// fails with ErrRefused when that does not end.
func (s *Service) settled(try func() error) error {
	const tries = 3
	for range tries {
		if err := try(); !errors.Is(err, errMoved) {
			return err
		}
	}
	return ErrRefused
}

// comparison is a password that was compared with the hash of an account, outside
// any unit of work. Without an account it took the same time.
type comparison struct {
	found   outbound.LoginAccount
	known   bool
	verdict outbound.PasswordVerdict
}

func (s *Service) compare(ctx context.Context, address email.Address, plain secret.String) (comparison, error) {
	var c comparison
	var err error
	if c.found, c.known, err = s.Accounts.ForLogin(ctx, address); err != nil {
		return comparison{}, fmt.Errorf("look up account: %w", err)
	}
	if c.verdict, err = s.Passwords.Verify(ctx, c.found.Hash, password.Normal(plain)); err != nil {
		return comparison{}, fmt.Errorf("verify password: %w", err)
	}
	return c, nil
}

// judge brings a comparison to the account as it stands now: it counts a wrong
// password, and tells why the right one does not do, or "". It fails with errMoved
// when the comparison says nothing any more.
func (s *Service) judge(ctx context.Context, tx Repos, given comparison, limits policy.Lockout) (*credential.Credential, string, error) {
	if !given.known {
		return nil, login.UnknownUser, nil
	}
	c, err := tx.Credentials.ByUser(ctx, given.found.UserID)
	if errors.Is(err, user.ErrNotFound) {
		return nil, login.UnknownUser, nil
	}
	if err != nil {
		return nil, "", err
	}
	now := s.Clock.Now()
	switch {
	case c.Hash() != given.found.Hash:
		return nil, "", errMoved
	case c.Locked(now):
		return nil, login.AccountLocked, nil
	case !given.verdict.Match:
		c.Fail(limits, now)
		return nil, login.WrongPassword, tx.Credentials.Save(ctx, c)
	}
	return c, "", nil
}

// Proved runs a change in a unit of work when a password proves that the session is
// not in other hands. A wrong one counts like a failed login, so that whoever took
// a session cannot guess on. It fails with ErrWrongPassword, and that is stored in
// the failure counter.
func (s *Service) Proved(ctx context.Context, caller access.Caller, plain secret.String, limits policy.Lockout,
	change func(Repos, *credential.Credential) error,
) error {
	refused := false
	err := s.settled(func() error {
		given, err := s.compare(ctx, caller.Profile.Email, plain)
		if err != nil {
			return err
		}
		given.known = given.known && given.found.UserID == caller.User
		return s.Unit.Do(ctx, func(tx Repos) error {
			held, reason, err := s.judge(ctx, tx, given, limits)
			refused = reason != ""
			if err != nil || refused {
				return err
			}
			return change(tx, held)
		})
	})
	if refused || errors.Is(err, ErrRefused) {
		return ErrWrongPassword
	}
	return err
}
