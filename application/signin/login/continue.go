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

// Errors of refreshed sessions.
var (
	// errStale refuses new tokens to a session without the second factor that a flow demands.
	errStale = fault.New(fault.Auth, "invalid_grant: a flow asks for a second factor that was given lately: sign in again")
	// errElsewhere refuses new tokens where the risk policy demands a second factor because
	// the browser or app has changed.
	errElsewhere = fault.New(fault.Auth, "invalid_grant: the session goes on in another browser or app, which asks for a second factor: sign in again")
)

// Continue runs the flows for a session that asks for new tokens, and returns the claims of
// those tokens. It fails with FLOW_BLOCKED, or if the session lacks what the flows or the risk
// of a changed browser or app demand: the person then has to sign in again. If the session was
// allowed to continue in another browser or app, that is stored and Continue fails with
// aggregate.ErrConflict, so that the caller starts over with the new state.
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

// renewed runs the flows for a session that asks for new tokens, and returns the claims of
// those tokens.
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

// continuing returns the facts that flows can read about a session that asks for new tokens.
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

// over reports whether a session has exceeded the idle or absolute lifetime that flows set.
func over(held session.Snapshot, asked flow.Demand, now time.Time) bool {
	past := func(minutes int, since time.Time) bool {
		return minutes > 0 && now.Sub(since) >= time.Duration(minutes)*time.Minute
	}
	return past(asked.IdleMinutes, held.LastUsedAt) || past(asked.AbsoluteMinutes, held.CreatedAt)
}

// undone fails if a flow demands an action that the person has not completed.
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
