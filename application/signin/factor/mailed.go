package factor

import (
	"context"
	"time"

	"gatehouse.internal/application/account"
	"gatehouse.internal/application/signin/login"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mail"
	"gatehouse.internal/domain/secret"
)

// errNotMailed is returned for an attempt to mail a code for a challenge that no mailed code would answer.
var errNotMailed = fault.Invalid("/method", "this challenge cannot be completed by email: use one of its methods")

// Mail mails a code for an open challenge and returns how long the code is valid. It fails
// with challenge.ErrGone, errNotMailed or RATE_LIMITED.
func (s *Service) Mail(ctx context.Context, token secret.String) (time.Duration, error) {
	var left time.Duration
	err := s.Unit.Do(ctx, func(tx login.Repos) error {
		w, err := s.Login.Waiting(ctx, tx, token)
		if err != nil {
			return err
		}
		held, err := tx.Factors.ByUser(ctx, w.UserID)
		if err != nil {
			return err
		}
		if !w.TakesMail(held) {
			return errNotMailed
		}
		now := s.Clock.Now()
		if err := held.Mail(now); err != nil {
			return err
		}
		if err := tx.Factors.Save(ctx, held); err != nil {
			return err
		}
		left = w.ExpiresAt.Sub(now)
		return tx.Mails.Queue(ctx, mail.Request{
			Template: mail.FactorCode, UserID: w.UserID, Org: w.Org, Challenge: w.Digest, CodeMinutes: minutes(left),
			Facts: account.Asked(ctx, now, nil),
		})
	})
	return left, err
}

// minutes returns a duration in minutes, rounded up.
func minutes(of time.Duration) int { return int((of + time.Minute - 1) / time.Minute) }
