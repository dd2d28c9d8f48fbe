package login

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// errStale refuses new tokens to a session of which a flow asks for a second factor.
var errStale = fault.New(fault.Auth, "invalid_grant: a flow asks for a second factor that was given lately: sign in again")

// Continue has flows decide about a session that is to get new tokens, and returns the claims
// of those. It fails with FLOW_BLOCKED, and where the session has not given what flows ask
// for: then only another login gives it.
func (s *Service) Continue(ctx context.Context, of outbound.Identity, held role.Standing) (map[string]json.RawMessage, error) {
	if live.Trigger(ctx) == "" {
		return of.Session.Claims, nil
	}
	verdict, err := live.Settle(ctx, live.Subject{
		Org: of.Session.OrgID, User: of.User.ID, Email: of.User.Email,
		Facts: func(needs func(string) bool) (map[string]any, error) { return s.continuing(ctx, of, held, needs) },
	})
	switch {
	case err != nil:
		return nil, err
	case verdict.Blocked != nil:
		return nil, verdict.Blocked
	case verdict.MFA && !s.factorGiven(of.Session, verdict.Demand):
		return nil, errStale
	case over(of.Session, verdict.Demand, s.Clock.Now()):
		return nil, session.ErrRefresh
	}
	if err := s.undone(ctx, of.User, verdict.Demand); err != nil {
		return nil, err
	}
	claims := maps.Clone(of.Session.Claims)
	if claims == nil {
		return verdict.Claims, nil
	}
	maps.Copy(claims, verdict.Claims)
	return claims, nil
}

// continuing are the facts about a session that goes on.
func (s *Service) continuing(ctx context.Context, of outbound.Identity, held role.Standing, needs func(string) bool) (map[string]any, error) {
	person := live.Person{Snapshot: of.User, Roles: held.Roles, Groups: of.Held.Groups}
	if needs("user.mfa_enrolled") {
		var err error
		if person.Enrolled, err = s.Enrolled(ctx, of.User.ID); err != nil {
			return nil, err
		}
	}
	org, err := live.FindOrg(ctx, of.Session.OrgID, needs)
	return map[string]any{
		"user": person.Facts(), "method": "session", "amr": plan.Anys(of.Session.AMR), "org": org,
	}, err
}

// over reports whether a session has outlived the bounds that flows set it.
func over(held session.Snapshot, asked flow.Demand, now time.Time) bool {
	past := func(minutes int, since time.Time) bool {
		return minutes > 0 && now.Sub(since) >= time.Duration(minutes)*time.Minute
	}
	return past(asked.IdleMinutes, held.LastUsedAt) || past(asked.AbsoluteMinutes, held.CreatedAt)
}

// undone fails where a flow asks for an action that is yet to be done.
func (s *Service) undone(ctx context.Context, of user.Snapshot, by flow.Demand) error {
	if len(by.Actions) == 0 {
		return nil
	}
	enrolled, err := s.Enrolled(ctx, of.ID)
	if err != nil {
		return err
	}
	return unfulfilled(of, enrolled, by)
}

// Enrolled reports whether an account has a second factor or a passkey.
func (s *Service) Enrolled(ctx context.Context, of user.ID) (enrolled bool, err error) {
	err = s.Unit.Do(ctx, func(tx Repos) error {
		held, err := tx.Factors.ByUser(ctx, of)
		if err != nil {
			return err
		}
		enrolled, err = tx.Factors.HasPasskey(ctx, of)
		enrolled = enrolled || held.Enrolled()
		return err
	})
	return enrolled, err
}
