package factor

import (
	"context"
	"encoding/base64"
	"slices"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// unnamed is the name of an authenticator app for which none was given.
const unnamed = "Authenticator app"

// Invitation is what a person needs to set up an authenticator app. Each of its three fields
// contains the secret.
type Invitation struct {
	ID     mfa.ID
	Secret secret.Shown
	URL    secret.Shown
	// Picture is the QR code: a PNG as a data URL.
	Picture secret.Shown
}

// SetUpApp begins to enroll an authenticator app for a caller. It fails with
// mfa.ErrTooMany.
func (s *Service) SetUpApp(ctx context.Context, caller access.Caller, name mfa.Name) (Invitation, error) {
	look, err := s.BrandingDirectory.InForce(ctx, caller.Org)
	if err != nil {
		return Invitation{}, err
	}
	made, err := s.TOTP.Invite(string(look.Whole().Name), caller.Profile.Email.String())
	if err != nil {
		return Invitation{}, err
	}
	if name == "" {
		name = unnamed
	}
	id := mfa.NewID(s.IDs)
	err = s.Unit.Do(ctx, func(tx login.Repos) error {
		held, err := tx.Factors.ByUser(ctx, caller.User)
		if err != nil {
			return err
		}
		if err := held.BeginApp(id, string(name), string(made.Secret), s.Clock.Now()); err != nil {
			return err
		}
		return tx.Factors.Save(ctx, held)
	})
	if err != nil {
		return Invitation{}, err
	}
	picture := "data:image/png;base64," + base64.StdEncoding.EncodeToString(made.PNG)
	return Invitation{ID: id, Secret: made.Secret, URL: made.URL, Picture: secret.Shown(picture)}, nil
}

// SetUpMail begins to enroll codes by email for a caller, and has the first one
// mailed. It fails with mfa.ErrMailed, mfa.ErrMailOnly or RATE_LIMITED.
func (s *Service) SetUpMail(ctx context.Context, caller access.Caller) (mfa.ID, error) {
	id, now := mfa.NewID(s.IDs), s.Clock.Now()
	_, digest := challenge.NewHandle(s.Random)
	on, err := s.Providers.Enabled(ctx)
	if err != nil {
		return "", err
	}
	err = s.Unit.Do(ctx, func(tx login.Repos) error {
		held, err := s.mailable(ctx, tx, caller, on)
		if err != nil {
			return err
		}
		if err := held.BeginMail(id, digest, now); err != nil {
			return err
		}
		if err := held.Mail(now); err != nil {
			return err
		}
		if err := tx.Factors.Save(ctx, held); err != nil {
			return err
		}
		if _, err := tx.Challenges.Drop(ctx, signin.ChallengeQuery{About: caller.User, Kinds: []challenge.Kind{challenge.FactorCode}}); err != nil {
			return err
		}
		err = tx.Challenges.Open(ctx, challenge.Challenge{
			Digest: digest, Kind: challenge.FactorCode, UserID: caller.User, Content: []byte("{}"),
			CreatedAt: now, ExpiresAt: now.Add(mfa.EnrollmentLife),
		})
		if err != nil {
			return err
		}
		return tx.Mails.Queue(ctx, mail.Request{
			Template: mail.FactorCode, UserID: caller.User, Org: caller.Org,
			Challenge: digest, CodeMinutes: int(mfa.EnrollmentLife.Minutes()), Facts: account.Asked(ctx, now, nil),
		})
	})
	return id, err
}

// mailable returns the factors of a caller for whom mailed codes can be a second factor. It
// fails with mfa.ErrMailOnly if mail is the account's only way to sign in.
func (s *Service) mailable(ctx context.Context, tx login.Repos, caller access.Caller, providers []string) (*mfa.Factors, error) {
	held, err := tx.Factors.ByUser(ctx, caller.User)
	if err != nil {
		return nil, err
	}
	otherwise, err := tx.WaysIn.Left(ctx, caller.User, providers)
	if err == nil && !otherwise {
		err = mfa.ErrMailOnly
	}
	return held, err
}

// confirmation is the first code of a new factor, with what is needed to complete its
// enrollment.
type confirmation struct {
	SubmittedCode

	caller access.Caller
	fresh  []secret.Shown
	limits policy.Lockout
}

// Confirm completes an enrollment of the caller with the first code of the new factor. The
// first factor of an account also creates its recovery codes. Confirm fails with
// mfa.ErrNoPending, mfa.ErrWrongCode or challenge.ErrGone; a wrong mailed code is counted.
func (s *Service) Confirm(ctx context.Context, call command.Call, given SubmittedCode) ([]secret.Shown, error) {
	policies, err := s.Login.Policies.OfUser(ctx, call.Caller.User)
	if err != nil {
		return nil, err
	}
	c := confirmation{SubmittedCode: given, caller: call.Caller, fresh: mfa.NewRecoveryCodes(s.Random), limits: policies.Lockout}
	first, refused := false, false
	err = s.Unit.Do(ctx, func(tx login.Repos) error {
		first, refused, err = s.confirm(ctx, tx, c)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case refused:
		return nil, mfa.ErrWrongCode
	case !first:
		return nil, nil
	}
	return c.fresh, nil
}

// pending returns the factors of a caller and the enrollment that waits for its first code.
func (s *Service) pending(ctx context.Context, tx login.Repos, c confirmation) (*mfa.Factors, mfa.Factor, error) {
	held, err := tx.Factors.ByUser(ctx, c.caller.User)
	if err != nil {
		return nil, mfa.Factor{}, err
	}
	waits, err := held.Pending(c.Method, s.Clock.Now())
	return held, waits, err
}

// confirm reports whether the new factor is the account's first, and whether the code was
// wrong and has been counted.
func (s *Service) confirm(ctx context.Context, tx login.Repos, c confirmation) (first, refused bool, err error) {
	held, pending, err := s.pending(ctx, tx, c)
	if err != nil {
		return false, false, err
	}
	a := s.attempt(c.SubmittedCode, mailedCode{})
	if pending.Method == mfa.Email {
		if a, err = s.received(ctx, tx, held, c.SubmittedCode, pending); err != nil {
			return false, false, err
		}
		if !a.Mailed {
			return false, true, s.missed(ctx, tx, held, pending, c.limits)
		}
	}
	if first, err = held.Confirm(pending, a, c.fresh, s.Clock.Now()); err != nil {
		return false, false, err
	}
	if err := tx.Factors.Save(ctx, held); err != nil {
		return false, false, err
	}
	return first, false, s.enrolled(ctx, tx, c.caller, pending.Method)
}

// received checks the mailed code of an enrollment. While the account is locked for codes,
// every code is wrong.
func (s *Service) received(ctx context.Context, tx login.Repos, held *mfa.Factors, given SubmittedCode, pending mfa.Factor) (mfa.Attempt, error) {
	c, err := tx.Challenges.Look(ctx, challenge.FactorCode, pending.Challenge, s.Clock.Now())
	if err != nil {
		return mfa.Attempt{}, err
	}
	a := s.attempt(given, mailedCode{digest: c.Digest, code: c.Code, until: c.CodeExpiresAt})
	if a.Mailed = a.Mailed && !held.Locked(s.Clock.Now()); !a.Mailed {
		return a, nil
	}
	_, err = tx.Challenges.Take(ctx, challenge.FactorCode, pending.Challenge, s.Clock.Now())
	return a, err
}

func (s *Service) missed(ctx context.Context, tx login.Repos, held *mfa.Factors, pending mfa.Factor, limits policy.Lockout) error {
	err := s.counted(ctx, tx, held, func(now time.Time) { held.Miss(limits, now) })
	if err != nil {
		return err
	}
	return tx.Challenges.Miss(ctx, pending.Challenge)
}

// enrolled applies what follows from a new factor: the required action is fulfilled, and the
// caller's session counts as proved by the factor. Other sessions keep the authentication
// methods that they began with.
func (s *Service) enrolled(ctx context.Context, tx login.Repos, caller access.Caller, method mfa.Method) error {
	now := s.Clock.Now()
	current, err := tx.Sessions.ByID(ctx, caller.Session)
	if err != nil {
		return err
	}
	amr := current.Snapshot().AMR
	if err := current.Strengthen(login.Joined(amr, ways(amr, method)...), now); err != nil {
		return err
	}
	if err := tx.Sessions.Save(ctx, current); err != nil {
		return err
	}
	u, err := tx.Users.ByID(ctx, caller.User)
	if err != nil || !slices.Contains(u.Snapshot().RequiredActions, user.EnrollMFA) {
		return err
	}
	u.Fulfill(user.EnrollMFA, now)
	return tx.Users.Save(ctx, u)
}
