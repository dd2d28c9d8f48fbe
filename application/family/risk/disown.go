package risk

import (
	"context"
	"errors"
	"slices"

	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/device"
	domainrisk "gatehouse.internal/domain/risk"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/signin"
)

// disown undoes what an attempt came to that was somebody else's: its session, the logins that
// wait, what is known of the device, and the password that was given. It returns how many
// sessions ended.
func (s *Service) disown(ctx context.Context, tx Repos, of domainrisk.Snapshot, own bool) (int, error) {
	ended, err := s.end(ctx, tx, of, own)
	if err != nil {
		return 0, err
	}
	if _, err := tx.Challenges.Drop(ctx, signin.ChallengeQuery{About: of.UserID, Kinds: []challenge.Kind{challenge.SecondFactor}}); err != nil {
		return 0, err
	}
	with := device.Kind(of.UserAgent)
	held, err := tx.Devices.Held(ctx, of.UserID, s.Clock.Now())
	if err != nil {
		return 0, err
	}
	for _, one := range held {
		if device.Kind(one.Snapshot().UserAgent) != with {
			continue
		}
		one.Revoke()
		if err := tx.Devices.Remove(ctx, one); err != nil {
			return 0, err
		}
	}
	if err := tx.Clients.Drop(ctx, of.UserID, with); err != nil {
		return 0, err
	}
	return ended, s.requirePassword(ctx, tx, of.UserID)
}

// end ends the session that came of an attempt.
func (s *Service) end(ctx context.Context, tx Repos, of domainrisk.Snapshot, own bool) (int, error) {
	if of.SessionID == "" {
		return 0, nil
	}
	held, err := tx.Sessions.ByID(ctx, of.SessionID)
	now := s.Clock.Now()
	switch {
	case errors.Is(err, session.ErrNotFound) || err == nil && !held.Active(now):
		return 0, nil
	case err != nil:
		return 0, err
	}
	reason := session.ByAdmin
	if own {
		reason = session.ByUser
	}
	held.End(reason, now)
	return 1, tx.Sessions.Save(ctx, held)
}

// requirePassword requires a new password of an account that has one.
func (s *Service) requirePassword(ctx context.Context, tx Repos, of user.ID) error {
	secured, err := tx.Credentials.ByUser(ctx, of)
	if err != nil || secured.Hash() == "" {
		return err
	}
	u, err := tx.Users.ByID(ctx, of)
	if err != nil {
		return err
	}
	actions := u.Snapshot().RequiredActions
	if slices.Contains(actions, user.ChangePassword) {
		return nil
	}
	u.Require(append(slices.Clone(actions), user.ChangePassword), s.Clock.Now())
	return tx.Users.Save(ctx, u)
}
