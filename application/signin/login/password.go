package login

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/people"
)

// Attempt is a login by password.
type Attempt struct {
	Email    email.Address
	Password secret.String
	// Org is the workspace to log into; empty for the personal one.
	Org workspace.ID
	// Device is the token of a remembered device.
	Device secret.String
}

// ByPassword logs in by password. It fails with ErrRefused, which is recorded as an event and
// in the failure counter.
func (s *Service) ByPassword(ctx context.Context, call command.Call, attempt Attempt) (Outcome, error) {
	var opened Opened
	err := s.retried(func() error {
		given, err := s.compare(ctx, attempt.Email, attempt.Password)
		if err != nil {
			return err
		}
		policies, err := s.Policies.OfUser(ctx, given.found.UserID)
		if err != nil {
			return err
		}
		proof := Proof{
			Wanted: Wanted{Call: call, Policies: policies, Org: attempt.Org, Device: attempt.Device},
			UserID: given.found.UserID, AMR: []string{ByPassword}, CommonPassword: s.common(given, attempt.Password, policies.Risk), password: &given,
		}
		return s.Unit.Do(ctx, func(tx Repos) error {
			opened, err = s.Enter(ctx, tx, proof)
			return err
		})
	})
	if err != nil {
		return Outcome{}, err
	}
	return s.Answer(ctx, opened)
}

// errMoved is returned if the password was changed while it was being compared.
var errMoved = errors.New("the stored hash changed during the comparison")

// retried repeats an attempt whose stored hash changed during the comparison. After several
// such attempts it fails with ErrRefused.
func (s *Service) retried(try func() error) error {
	const tries = 3
	for range tries {
		if err := try(); !errors.Is(err, errMoved) {
			return err
		}
	}
	return ErrRefused
}

// comparison is the result of comparing a password with the hash of an account, outside any
// unit of work. It takes the same time if there is no account.
type comparison struct {
	found   people.LoginAccount
	known   bool
	verdict crypt.PasswordVerdict
}

func (s *Service) compare(ctx context.Context, address email.Address, plain secret.String) (comparison, error) {
	var c comparison
	var err error
	if c.found, c.known, err = s.Accounts.ForLogin(ctx, address); err != nil {
		return comparison{}, fmt.Errorf("look up account: %w", err)
	}
	if c.verdict, err = s.Passwords.Verify(ctx, c.found.Hash, plain, c.found.Forms...); err != nil {
		return comparison{}, fmt.Errorf("verify password: %w", err)
	}
	return c, nil
}

// compared reads the credential that a password was compared with; nil if there is no
// account. It fails with errMoved.
func (s *Service) compared(ctx context.Context, tx Repos, given comparison) (*credential.Credential, error) {
	if !given.known {
		return nil, nil
	}
	c, err := tx.Credentials.ByUser(ctx, given.found.UserID)
	switch {
	case errors.Is(err, user.ErrNotFound):
		return nil, nil
	case err == nil && c.Hash() != given.found.Hash:
		return nil, errMoved
	}
	return c, err
}

// common reports whether the password was right and is a common one. It is false if the policy
// ignores that.
func (s *Service) common(given comparison, plain secret.String, rules policy.Risk) bool {
	return given.verdict.Match && rules.CommonPassword > 0 && s.Common.Common(plain)
}
