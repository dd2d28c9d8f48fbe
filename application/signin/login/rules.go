package login

import (
	"context"
	"errors"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/oauth"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/signin"
)

// errRulesAtHome is returned for a session that does not meet the sign-in rules of the personal
// workspace, so that there is no workspace left for it to act in.
var errRulesAtHome = fault.New(fault.Auth, "invalid_grant: the sign-in rules of the workspace have changed: sign in again")

// errRulesOfGrant is returned to a client whose grant does not meet the sign-in rules of its
// workspace.
var errRulesOfGrant = fault.New(fault.Validation, "invalid_grant: the sign-in rules of the workspace have changed: request authorization again")

// errRulesOfPerson is returned if the sign-in rules of a person's workspaces keep out somebody who
// is to act as them.
var errRulesOfPerson = fault.New(fault.Auth, "your session does not meet the sign-in rules of the user's workspaces: sign in with a method that they allow")

// Readmit applies the sign-in rules of the active workspace to a session that asks for new
// tokens, if they were tightened since the session met them. The person is not asked for
// anything. If the session does not meet the rules, it moves to the personal workspace, and
// Readmit fails with session.ErrRules. If it does, that is stored, and Readmit fails with
// aggregate.ErrConflict, so that the caller starts over with the new state.
func (s *Service) Readmit(ctx context.Context, call command.Call, of outbound.Identity) error {
	if of.Session.Meets(of.Session.OrgID, of.Rules) {
		return nil
	}
	policies, err := s.Policies.OfUser(ctx, of.User.ID)
	if err != nil {
		return err
	}
	var refusal error
	err = s.Unit.Do(ctx, func(tx Repos) error {
		held, err := tx.Sessions.ByID(ctx, of.Session.ID)
		if err != nil {
			return err
		}
		e := inside(held.Snapshot(), Wanted{Call: call, Policies: policies, Org: held.Snapshot().OrgID})
		unmet, err := s.meets(ctx, tx, e)
		if err != nil {
			return err
		}
		if refusal = nil; unmet == nil {
			bind(held, e.asked, s.Clock.Now())
			meet(held, e.who, call.Revision)
			return tx.Sessions.Save(ctx, held)
		}
		refusal, err = s.sendHome(ctx, tx, held)
		return err
	})
	switch {
	case errors.Is(err, session.ErrNotFound), errors.Is(err, user.ErrNotFound):
		return session.ErrRefresh
	case err != nil:
		return err
	case refusal != nil:
		return refusal
	}
	return aggregate.ErrConflict
}

// readmitGrant applies the sign-in rules of its workspace to a grant that was given in a session.
func (s *Service) readmitGrant(ctx context.Context, call command.Call, within session.Snapshot) error {
	unmet, err := s.Unmet(ctx, call, within.OrgID, within)
	switch {
	case errors.Is(err, user.ErrNotFound):
		return oauth.ErrRefresh
	case err == nil && unmet != nil:
		return errRulesOfGrant
	}
	return err
}

// Unmet applies the sign-in rules of a workspace to a session of a member, without asking them for
// anything. It returns why the session does not meet them, or nil. It fails with user.ErrNotFound.
func (s *Service) Unmet(ctx context.Context, call command.Call, org workspace.ID, within session.Snapshot) (unmet, err error) {
	policies, err := s.Policies.OfUser(ctx, within.UserID)
	if err != nil {
		return nil, err
	}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		unmet, err = s.meets(ctx, tx, inside(within, Wanted{Call: call, Policies: policies, Org: org}))
		return err
	})
	return unmet, err
}

// sendHome moves a session that does not meet the sign-in rules of its workspace to the personal
// one, and returns the error to answer.
func (s *Service) sendHome(ctx context.Context, tx Repos, held *session.Session) (error, error) {
	of := held.Snapshot()
	who, err := tx.Entrants.Entrant(ctx, signin.LoginTarget{Person: of.UserID, Home: true})
	switch {
	case err != nil:
		return nil, err
	case who.Member == nil || who.Member.Snapshot().OrgID == of.OrgID:
		return errRulesAtHome, nil
	}
	held.Enter(who.Member.Snapshot().OrgID)
	bind(held, flow.Demand{}, s.Clock.Now())
	return session.ErrRules, tx.Sessions.Save(ctx, held)
}

// Impersonable returns the workspace in which the caller may act as a person: the one that was active
// last or, if the caller's session does not meet the sign-in rules there, the personal one. Members
// and superadmins are treated alike. It fails if the session meets neither, and with
// user.ErrNotFound.
func (s *Service) Impersonable(ctx context.Context, call command.Call, person user.ID) (org workspace.ID, err error) {
	policies, err := s.Policies.OfUser(ctx, person)
	if err != nil {
		return "", err
	}
	by := session.Snapshot{UserID: person, AuthTime: call.Caller.AuthTime, AMR: call.Caller.AMR, UserAgent: call.UserAgent}
	err = s.Unit.Do(ctx, func(tx Repos) error {
		for _, home := range []bool{false, true} {
			e := inside(by, Wanted{Call: call, Policies: policies})
			e.home = home
			unmet, err := s.meets(ctx, tx, e)
			if err != nil {
				return err
			}
			if unmet == nil {
				org = e.org
				return nil
			}
		}
		return errRulesOfPerson
	})
	return org, err
}

// inside returns the entry of a session that acts in a workspace already.
func inside(within session.Snapshot, wanted Wanted) *entry {
	return &entry{
		Proof:  Proof{Wanted: wanted, UserID: within.UserID, AMR: within.AMR},
		within: &within, inside: true, switching: true, trigger: doorOf(within.AMR),
	}
}

// meets applies the sign-in rules of a workspace within a session, without asking its person for
// anything. It returns why they are not met, or nil.
func (s *Service) meets(ctx context.Context, tx Repos, e *entry) (unmet, err error) {
	who, err := tx.Entrants.Entrant(ctx, e.entering())
	switch {
	case err != nil:
		return nil, err
	case who.Member == nil:
		return session.ErrRules, nil
	}
	e.found(who)
	if refusal := admit(who, e.AMR); refusal != nil {
		return refusal, nil
	}
	refusal, err := s.decide(ctx, tx, e)
	switch {
	case err != nil:
		return nil, err
	case refusal != nil:
		return refusal, nil
	case (who.Entry.MFA || e.asked.MFA) && !s.factorGiven(*e.within, e.asked):
		return session.ErrRules, nil
	}
	return unfulfilled(who.User.Snapshot(), e.hasFactor(), e.asked), nil
}

// doorOf returns the trigger of sign-ins that began like a session.
func doorOf(amr []string) flow.Trigger {
	switch workspace.MethodOf(amr) {
	case workspace.BySocial:
		return flow.SocialLogin
	case workspace.ByPasskey:
		return flow.PasskeyLogin
	default:
		return flow.Login
	}
}
