package login

import (
	"context"
	"errors"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/guess"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

// ErrWrongPassword is the answer to a password that does not prove the caller's identity,
// also while the account is locked.
var ErrWrongPassword = fault.New(fault.Auth, "the current password is wrong")

// judging returns the reason for refusing a password of an account, or "", like judge.
type judging func(ctx context.Context, tx Repos, held *credential.Credential, given comparison) (string, error)

// Proved runs a change in a unit of work if a password proves that the session is used by its
// owner. Wrong passwords are counted by the session, so that a stolen session does not allow
// unlimited guesses. It fails with ErrWrongPassword, which is counted.
func (s *Service) Proved(ctx context.Context, caller access.Caller, plain secret.String, limits policy.Lockout,
	change func(Repos, *credential.Credential) error,
) error {
	return s.proved(ctx, caller.Profile, plain, change, func(ctx context.Context, tx Repos, _ *credential.Credential, given comparison) (string, error) {
		return s.judgeWithin(ctx, tx, given, caller.Session, limits)
	})
}

// ProvedOf is Proved for an account that was not identified by a session. A wrong password
// counts like a failed login.
func (s *Service) ProvedOf(ctx context.Context, of user.Snapshot, plain secret.String, limits policy.Lockout,
	change func(Repos, *credential.Credential) error,
) error {
	return s.proved(ctx, of, plain, change, func(ctx context.Context, tx Repos, held *credential.Credential, given comparison) (string, error) {
		return s.judge(ctx, tx, held, given, limits)
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
			refused = false
			held, err := s.compared(ctx, tx, given)
			if err != nil {
				return err
			}
			if held == nil {
				refused = true
				return nil
			}
			reason, err := judge(ctx, tx, held, given)
			if refused = reason != ""; err != nil || refused {
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

// judgeWithin is judge for the person of a session. Wrong passwords are counted by the
// session, and a lock of the account is ignored: strangers who guess at the login keep nobody
// from changing their password, and a stolen session does not allow unlimited guesses.
func (s *Service) judgeWithin(ctx context.Context, tx Repos, given comparison, of session.ID, limits policy.Lockout) (string, error) {
	now := s.Clock.Now()
	guesses, err := tx.Guesses.Of(ctx, of.String())
	switch {
	case err != nil:
		return "", err
	case guesses.Paused(now) != nil:
		return loginevent.AccountLocked, nil
	case !given.verdict.Match:
		if guesses.Miss(guess.Within(limits), now) {
			guesses.Raise(session.Guessed{SessionID: of, UserID: given.found.UserID, Until: guesses.Snapshot().Until})
		}
		return loginevent.WrongPassword, tx.Guesses.Save(ctx, guesses)
	case guesses.Counting():
		guesses.Forget()
		return "", tx.Guesses.Save(ctx, guesses)
	}
	return "", nil
}
