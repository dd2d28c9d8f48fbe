package login

import (
	"context"
	"time"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/ports/outbound/signin"
)

// session creates the session.
func (s *Service) session(ctx context.Context, tx Repos, e *entry) error {
	now := s.Clock.Now()
	e.who.User.LoggedIn(now)
	if err := tx.Users.Save(ctx, e.who.User); err != nil {
		return err
	}
	of := session.NewID(s.IDs)
	refresh, digest := s.Refresh.Make(of)
	begun := session.Begin(session.Start{
		ID: of, UserID: e.UserID, OrgID: e.org, AMR: e.AMR, AuthTime: e.AuthTime, IP: e.Call.IP,
		UserAgent: e.Call.UserAgent, Refresh: digest, Policy: e.sessionPolicy(), Claims: e.asked.Claims,
	}, now)
	if len(e.actions) == 0 {
		meet(begun, e.who, e.Call.Revision)
	}
	if err := tx.Sessions.Save(ctx, begun); err != nil {
		return err
	}
	if err := s.keep(ctx, tx, e, of); err != nil {
		return err
	}
	if err := remember(ctx, tx, e.who); err != nil {
		return err
	}
	if _, err := s.join(ctx, tx, e.who, ""); err != nil {
		return err
	}
	e.opened = Opened{User: e.who.User.Snapshot(), Session: begun.Snapshot(), Held: e.who.Held, Refresh: refresh, Actions: e.actions}
	return s.greet(ctx, tx, e)
}

// meet records that a session met the sign-in rules of a workspace at a revision of the instance,
// if there are any.
func meet(held *session.Session, who signin.Entrant, revision int64) {
	if who.Entry.Rules.Revision > 0 {
		held.Meet(who.Member.Snapshot().OrgID, revision)
	}
}

// remember records the last active workspace of a person if it has changed.
func remember(ctx context.Context, tx Repos, who signin.Entrant) error {
	if who.LastActive {
		return nil
	}
	m := who.Member.Snapshot()
	return tx.Entrants.Remember(ctx, m.UserID, m.OrgID)
}

// greet records the browser or app of a login and notifies the person if the account has not
// seen it recently, unless they are notified of this login anyway.
func (s *Service) greet(ctx context.Context, tx Repos, e *entry) error {
	now := s.Clock.Now()
	news, note := e.who.Client.Meet(e.Policies.Session.Absolute(), now)
	if note {
		if err := tx.Clients.Note(ctx, e.UserID, device.Kind(e.Call.UserAgent), now); err != nil {
			return err
		}
	}
	if !news {
		return nil
	}
	if err := tx.Clients.Forget(ctx, e.UserID, notice.MaxClients); err != nil || e.risk.notify {
		return err
	}
	return tx.Notices.Tell(ctx, e.UserID, notice.NewDevice, time.Time{})
}
