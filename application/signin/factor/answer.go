package factor

import (
	"context"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
)

// Answer completes a login, or a reauthentication, that waits for a second factor. It fails
// with mfa.ErrWrongCode, in which case the failure is stored, or with challenge.ErrGone.
func (s *Service) Answer(ctx context.Context, call command.Call, token secret.String, given SubmittedCode) (login.Outcome, error) {
	person, err := s.waiting(ctx, token)
	if err != nil {
		return login.Outcome{}, err
	}
	policies, err := s.Login.Policies.OfUser(ctx, person)
	if err != nil {
		return login.Outcome{}, err
	}
	var opened login.Opened
	err = s.Unit.Do(ctx, func(tx login.Repos) error {
		w, err := s.Login.Waiting(ctx, tx, token)
		if err != nil {
			return err
		}
		right, method, err := s.judge(ctx, tx, w, given, policies.Lockout)
		if err != nil {
			return err
		}
		if !right {
			opened = login.Opened{Refusal: mfa.ErrWrongCode}
			return tx.Challenges.Miss(ctx, w.Digest)
		}
		opened, err = s.Login.Complete(ctx, tx, login.Answered{
			Waiting: w, By: ways(w.AMR, method), Method: method, Call: call, Policies: policies, Refused: mfa.ErrWrongCode,
		})
		return err
	})
	if err != nil {
		return login.Outcome{}, err
	}
	return s.Login.Answer(ctx, opened)
}

// waiting returns the login that waits for a second factor, with the factors of its account.
func (s *Service) waiting(ctx context.Context, token secret.String) (user.ID, error) {
	var person user.ID
	err := s.Unit.Do(ctx, func(tx login.Repos) error {
		w, err := s.Login.Waiting(ctx, tx, token)
		person = w.UserID
		return err
	})
	return person, err
}

// judge consumes a code, or counts a wrong one. It returns the method that the code was
// checked against.
func (s *Service) judge(ctx context.Context, tx login.Repos, w login.Waiting, given SubmittedCode, limits policy.Lockout) (bool, mfa.Method, error) {
	if w.PasskeyOnly {
		return false, given.Method, nil
	}
	held, err := tx.Factors.ByUser(ctx, w.UserID)
	if err != nil {
		return false, "", err
	}
	mailed := mailedCode{digest: w.Digest, code: w.Armed, until: w.CodeExpiresAt}
	if !w.TakesMail(held) {
		mailed.code = ""
	}
	a := s.attempt(given, mailed)
	a.Method = held.Resolve(a)
	if !w.Takes(a.Method) {
		return false, a.Method, nil
	}
	right := false
	err = s.counted(ctx, tx, held, func(now time.Time) { right = held.Verify(a, limits, now) })
	if err == nil && right && a.Method == mfa.RecoveryCode {
		err = tx.Notices.Tell(ctx, w.UserID, notice.CodeUsed, time.Time{})
	}
	return right, a.Method, err
}

// counted stores the outcome of checking a code. If wrong codes have locked the account for
// codes, its owner is notified.
func (s *Service) counted(ctx context.Context, tx login.Repos, held *mfa.Factors, judge func(now time.Time)) error {
	now := s.Clock.Now()
	before := held.Locked(now)
	judge(now)
	if err := tx.Factors.Save(ctx, held); err != nil || before || !held.Locked(now) {
		return err
	}
	return tx.Notices.Tell(ctx, held.Snapshot().UserID, notice.FactorsLocked, held.Snapshot().LockedUntil)
}
