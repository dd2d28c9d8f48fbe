package users

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/password"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
)

// errWrongPassword is the one answer to a password that does not prove who calls,
// also while the account is locked.
var errWrongPassword = fault.New(fault.Auth, "the current password is wrong")

// errMoved says that the password was changed while it was being compared.
var errMoved = errors.New("the stored hash changed during the comparison")

// proof is a password that a caller gives as proof that the session is not in
// other hands. A wrong one counts like a failed login, so that whoever took a
// session cannot guess on.
type proof struct {
	caller  access.Caller
	plain   secret.String
	lockout policy.Lockout
}

// proved runs a change in a unit of work when the proof holds. It fails with
// errWrongPassword, and that is stored in the failure counter.
func (s *Service) proved(ctx context.Context, p proof, change func(Repos, *credential.Credential) error) error {
	p.plain = password.Normal(p.plain)
	const tries = 3
	for range tries {
		if err := s.prove(ctx, p, change); !errors.Is(err, errMoved) {
			return err
		}
	}
	return errWrongPassword
}

func (s *Service) prove(ctx context.Context, p proof, change func(Repos, *credential.Credential) error) error {
	found, known, err := s.Accounts.ForLogin(ctx, p.caller.Profile.Email)
	if err != nil {
		return fmt.Errorf("look up account: %w", err)
	}
	if !known || found.UserID != p.caller.User {
		return errWrongPassword
	}
	verdict, err := s.Passwords.Hasher.Verify(ctx, found.Hash, p.plain)
	if err != nil {
		return fmt.Errorf("verify password: %w", err)
	}
	refused := false
	err = s.Unit.Do(ctx, func(tx Repos) error {
		refused = false
		c, err := tx.Credentials.ByUser(ctx, p.caller.User)
		if err != nil {
			return err
		}
		now := s.Clock.Now()
		switch {
		case c.Hash() != found.Hash:
			return errMoved
		case c.Locked(now):
			refused = true
			return nil
		case !verdict.Match:
			refused = true
			c.Fail(p.lockout, now)
			return tx.Credentials.Save(ctx, c)
		}
		return change(tx, c)
	})
	if err == nil && refused {
		return errWrongPassword
	}
	return err
}
