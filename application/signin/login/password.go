package login

import (
	"context"
	"errors"
	"fmt"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/guess"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/crypt"
	"gatehouse.internal/ports/outbound/people"
)

// ErrWrongPassword is the answer to a password that does not prove the caller's identity,
// also while the account is locked.
var ErrWrongPassword = fault.New(fault.Auth, "the current password is wrong")

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
	var reason string
	err := s.retried(func() error {
		given, err := s.compare(ctx, attempt.Email, attempt.Password)
		if err != nil {
			return err
		}
		policies, err := s.Policies.OfUser(ctx, given.found.UserID)
		if err != nil {
			return err
		}
		common := s.common(given, attempt.Password, policies.Risk)
		return s.Unit.Do(ctx, func(tx Repos) error {
			opened, reason, err = s.enterBy(ctx, tx, given, Proof{
				UserID: given.found.UserID, Org: attempt.Org, AMR: []string{ByPassword},
				Device: attempt.Device, CommonPassword: common, Call: call, Policies: policies,
			})
			return err
		})
	})
	if err != nil {
		return Outcome{}, err
	}
	return s.Answer(ctx, opened, reason, ErrRefused)
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

// judge applies a comparison to the current credential of the account. It counts a wrong
// password, and returns the reason for a refusal, or "". It fails with errMoved if the
// comparison is outdated.
func (s *Service) judge(ctx context.Context, tx Repos, given comparison, limits policy.Lockout) (*credential.Credential, string, error) {
	c, err := s.compared(ctx, tx, given)
	if err != nil || c == nil {
		return nil, loginevent.UnknownUser, err
	}
	now := s.Clock.Now()
	switch {
	case c.Locked(now):
		return nil, loginevent.AccountLocked, nil
	case !given.verdict.Match:
		c.Fail(limits, now)
		return nil, loginevent.WrongPassword, tx.Credentials.Save(ctx, c)
	}
	return c, "", nil
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

// judgeWithin is judge for the person of a session. Wrong passwords are counted by the
// session, and a lock of the account is ignored: strangers who guess at the login keep nobody
// from changing their password, and a stolen session does not allow unlimited guesses.
func (s *Service) judgeWithin(ctx context.Context, tx Repos, given comparison, of session.ID, limits policy.Lockout) (*credential.Credential, string, error) {
	c, err := s.compared(ctx, tx, given)
	if err != nil || c == nil {
		return nil, loginevent.UnknownUser, err
	}
	now := s.Clock.Now()
	guesses, err := tx.Guesses.Of(ctx, of.String())
	switch {
	case err != nil:
		return nil, "", err
	case guesses.Paused(now) != nil:
		return nil, loginevent.AccountLocked, nil
	case !given.verdict.Match:
		if guesses.Miss(guess.Within(limits), now) {
			guesses.Raise(session.Guessed{SessionID: of, UserID: given.found.UserID, Until: guesses.Snapshot().Until})
		}
		return nil, loginevent.WrongPassword, tx.Guesses.Save(ctx, guesses)
	case guesses.Counting():
		guesses.Forget()
		return c, "", tx.Guesses.Save(ctx, guesses)
	}
	return c, "", nil
}

// enterBy logs in the person of a comparison.
func (s *Service) enterBy(ctx context.Context, tx Repos, given comparison, p Proof) (Opened, string, error) {
	held, reason, err := s.judge(ctx, tx, given, p.Policies.Lockout)
	if err != nil {
		return Opened{}, "", err
	}
	if reason != "" {
		return Opened{}, reason, s.Refuse(ctx, tx, p.UserID, reason)
	}
	// The credential is stored even if it did not change, so that a concurrent change of
	// the password conflicts with its version and the login is decided again.
	held.Succeed()
	if given.verdict.Upgraded != "" {
		held.Upgrade(given.verdict.Upgraded)
	}
	if err := tx.Credentials.Save(ctx, held); err != nil {
		return Opened{}, "", err
	}
	return s.Enter(ctx, tx, p)
}

// judging applies a comparison to the current credential, like judge.
type judging func(ctx context.Context, tx Repos, given comparison) (*credential.Credential, string, error)

// Proved runs a change in a unit of work if a password proves that the session is used by its
// owner. Wrong passwords are counted by the session, so that a stolen session does not allow
// unlimited guesses. It fails with ErrWrongPassword, which is counted.
func (s *Service) Proved(ctx context.Context, caller access.Caller, plain secret.String, limits policy.Lockout,
	change func(Repos, *credential.Credential) error,
) error {
	return s.proved(ctx, caller.Profile, plain, change, func(ctx context.Context, tx Repos, given comparison) (*credential.Credential, string, error) {
		return s.judgeWithin(ctx, tx, given, caller.Session, limits)
	})
}

// ProvedOf is Proved for an account that was not identified by a session. A wrong password
// counts like a failed login.
func (s *Service) ProvedOf(ctx context.Context, of user.Snapshot, plain secret.String, limits policy.Lockout,
	change func(Repos, *credential.Credential) error,
) error {
	return s.proved(ctx, of, plain, change, func(ctx context.Context, tx Repos, given comparison) (*credential.Credential, string, error) {
		return s.judge(ctx, tx, given, limits)
	})
}

func (s *Service) proved(ctx context.Context, of user.Snapshot, plain secret.String,
	change func(Repos, *credential.Credential) error, judge judging,
) error {
	refused := false
	err := s.retried(func() error {
		given, err := s.compare(ctx, of.Email, plain)
		if err != nil {
			return err
		}
		given.known = given.known && given.found.UserID == of.ID
		return s.Unit.Do(ctx, func(tx Repos) error {
			held, reason, err := judge(ctx, tx, given)
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
