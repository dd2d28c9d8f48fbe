package login

import (
	"context"
	"slices"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
)

// ErrEnrollFirst is returned for an attempt to switch to a workspace that requires a second factor if the account
// has none.
var ErrEnrollFirst = fault.New(fault.Auth, "the workspace requires a second factor: add an authenticator app with AUTH.MFA_SETUP_TOTP or a passkey, then switch again")

// Switch makes another workspace the active one of the caller's session. If a second factor
// is required there, the outcome is a challenge. It fails with workspace.ErrNotFound, like
// workspace.Entry.Admit, or with ErrEnrollFirst.
func (s *Service) Switch(ctx context.Context, call command.Call, to workspace.ID) (Outcome, error) {
	policies, err := s.Policies.OfUser(ctx, call.Caller.User)
	if err != nil {
		return Outcome{}, err
	}
	var opened Opened
	err = s.Unit.Do(ctx, func(tx Repos) error {
		held, err := tx.Sessions.ByID(ctx, call.Caller.Session)
		if err != nil {
			return err
		}
		within := held.Snapshot()
		e := &entry{
			Proof:  Proof{Wanted: Wanted{Call: call, Policies: policies, Org: to}, UserID: call.Caller.User, AMR: within.AMR},
			within: &within, switching: true,
		}
		if err := s.enterable(ctx, tx, e); err != nil {
			return err
		}
		missing, err := s.demanded(ctx, tx, e)
		if err != nil {
			return err
		}
		if missing {
			opened, err = s.challengeSwitch(ctx, tx, e)
			return err
		}
		bind(held, e.asked, s.Clock.Now())
		if e.risk.done && e.elsewhere() {
			held.GoOnWith(call.UserAgent)
		}
		opened, err = s.moveTo(ctx, tx, e, held)
		return err
	})
	if err != nil {
		return Outcome{}, err
	}
	return s.Answer(ctx, opened)
}

// enterable reads the account, and fails if the workspace does not admit it.
func (s *Service) enterable(ctx context.Context, tx Repos, e *entry) error {
	who, err := tx.Entrants.Entrant(ctx, e.entering())
	switch {
	case err != nil:
		return err
	case who.Member == nil:
		return workspace.ErrNotFound
	}
	e.found(who)
	return admit(who, e.AMR)
}

// demanded assesses the risk of a session that enters another workspace and runs the flows for
// it. It reports whether a second factor has to be given first. It fails if flows deny the switch
// or demand an action first.
func (s *Service) demanded(ctx context.Context, tx Repos, e *entry) (bool, error) {
	account := e.who.User.Snapshot()
	if err := s.assess(ctx, tx, e, account.Email); err != nil {
		return false, err
	}
	if err := s.keep(ctx, tx, e, e.within.ID); err != nil {
		return false, err
	}
	refusal, err := s.decide(ctx, tx, e)
	if err != nil {
		return false, err
	}
	if refusal != nil {
		return false, refusal
	}
	suspect := e.risk.strict && e.hasFactor()
	asked := (e.factorRequired() || e.asked.MFA) && !s.factorGiven(*e.within, e.asked)
	return suspect || asked, unfulfilled(account, e.hasFactor(), e.asked)
}

// challengeSwitch opens a challenge for the second factor that a workspace requires.
func (s *Service) challengeSwitch(ctx context.Context, tx Repos, e *entry) (Opened, error) {
	factors, passkey, now := e.who.Factors, e.who.Passkey, s.Clock.Now()
	methods := slices.DeleteFunc(offered(factors, passkey, nil, now), func(m mfa.Method) bool { return !e.asked.Takes(string(m)) })
	if len(methods) == 0 {
		return Opened{}, ErrEnrollFirst
	}
	return s.await(ctx, tx, Waiting{
		UserID: e.UserID, Org: e.org, Session: e.within.ID, Switch: true, NoMail: distrusted(factors, passkey, now),
		Asked: e.asked, Only: e.asked.Methods, Revision: e.Call.Revision,
	}, methods)
}

// moveTo switches a session that meets the sign-in rules of the workspace.
func (s *Service) moveTo(ctx context.Context, tx Repos, e *entry, held *session.Session) (Opened, error) {
	refresh, digest := s.Refresh.Successor(held.ID(), held.Snapshot().Refresh)
	if err := held.Switch(e.org, digest, s.Clock.Now()); err != nil {
		return Opened{}, err
	}
	meet(held, e.who, e.Call.Revision)
	if err := tx.Sessions.Save(ctx, held); err != nil {
		return Opened{}, err
	}
	return Opened{User: e.who.User.Snapshot(), Session: held.Snapshot(), Held: e.who.Held, Refresh: refresh}, remember(ctx, tx, e.who)
}
