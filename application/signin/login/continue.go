package login

import (
	"context"
	"encoding/json"
	"maps"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Errors of sessions that go on.
var (
	// errStale refuses new tokens to a session of which a flow asks for a second factor.
	errStale = fault.New(fault.Auth, "invalid_grant: a flow asks for a second factor that was given lately: sign in again")
	// errElsewhere refuses them where the policy asks for one because of the risk.
	errElsewhere = fault.New(fault.Auth, "invalid_grant: the session goes on in another browser or app, which asks for a second factor: sign in again")
)

// Continue has flows decide about a session that is to get new tokens, and returns the claims
// of those. It fails with FLOW_BLOCKED, and where the session has not given what flows ask
// for, or what the risk of another browser or app does: then only another login gives it. A
// session that was let go on in another one is stored, by aggregate.ErrConflict, after which
// the call begins anew.
func (s *Service) Continue(ctx context.Context, call command.Call, of outbound.Identity, held role.Standing) (map[string]json.RawMessage, error) {
	p := Proof{
		UserID: of.User.ID, Org: of.Session.OrgID, AMR: of.Session.AMR, Call: call, Trigger: flow.Refresh, within: &of.Session,
	}
	if err := s.reconsider(ctx, of, &p); err != nil {
		return nil, err
	}
	claims, err := s.renewed(ctx, of, held, p)
	if err == nil && p.risk.done {
		err = s.goOn(ctx, p)
	}
	return claims, err
}

// renewed is what flows decide about a session that is to get new tokens.
func (s *Service) renewed(ctx context.Context, of outbound.Identity, held role.Standing, p Proof) (map[string]json.RawMessage, error) {
	if live.Trigger(ctx) == "" {
		return of.Session.Claims, nil
	}
	verdict, err := live.Settle(ctx, live.Subject{
		Org: of.Session.OrgID, User: of.User.ID, Email: of.User.Email,
		Facts: func(needs func(string) bool) (map[string]any, error) { return s.continuing(ctx, of, held, needs) },
		Weigh: func() (live.Weight, error) { return s.weighContinuing(ctx, of, p) },
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
		enrolled, err = hasFactor(ctx, tx, of)
		return err
	})
	return enrolled, err
}

func hasFactor(ctx context.Context, tx Repos, of user.ID) (bool, error) {
	held, err := tx.Factors.ByUser(ctx, of)
	if err != nil || held.Enrolled() {
		return err == nil, err
	}
	return tx.Factors.HasPasskey(ctx, of)
}
