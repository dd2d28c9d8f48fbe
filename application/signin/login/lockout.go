package login

import (
	"context"
	"slices"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/domain/policy"
)

// lockout counts a wrong password and refuses a right one while the account is locked, which
// may have happened while the login waited for a second factor.
func (s *Service) lockout(ctx context.Context, tx Repos, e *entry) error {
	switch {
	case e.password != nil:
		return s.judgePassword(ctx, tx, e)
	case e.waiting != nil && slices.Contains(e.waiting.AMR, ByPassword):
		held, err := tx.Credentials.ByUser(ctx, e.UserID)
		if err == nil && held.Locked(s.Clock.Now()) {
			e.refuse(loginevent.AccountLocked, nil)
		}
		return err
	}
	return nil
}

// judgePassword judges the password of a login. The credential is stored even if it did not
// change, so that a concurrent change of the password conflicts with its version and the login
// is decided again.
func (s *Service) judgePassword(ctx context.Context, tx Repos, e *entry) error {
	reason, err := s.judge(ctx, tx, e.credential, *e.password, e.Policies.Lockout)
	if err != nil {
		return err
	}
	if reason != "" {
		e.refuse(reason, nil)
		return nil
	}
	e.credential.Succeed()
	if upgraded := e.password.verdict.Upgraded; upgraded != "" {
		e.credential.Upgrade(upgraded)
	}
	return tx.Credentials.Save(ctx, e.credential)
}

// judge returns the reason for refusing a password, or "". A wrong one is counted.
func (s *Service) judge(ctx context.Context, tx Repos, held *credential.Credential, given comparison, limits policy.Lockout) (string, error) {
	now := s.Clock.Now()
	switch {
	case held.Locked(now):
		return loginevent.AccountLocked, nil
	case !given.verdict.Match:
		held.Fail(limits, now)
		return loginevent.WrongPassword, tx.Credentials.Save(ctx, held)
	}
	return "", nil
}
