package login

import (
	"cmp"
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
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Errors of refreshed sessions.
var (
	// errStale is returned for a session without the second factor that a flow demands.
	errStale = fault.New(fault.Auth, "invalid_grant: a flow requires a recent second factor: sign in again")
	// errElsewhere is returned where the risk policy demands a second factor because
	// the browser or app has changed.
	errElsewhere = fault.New(fault.Auth, "invalid_grant: the session moved to a different browser or app, which requires a second factor: sign in again")
)

// Going is a session that may continue.
type Going struct {
	// Claims are those of its new tokens.
	Claims map[string]json.RawMessage
	// Runs are those of the flows that allowed it. They are to be stored with the session.
	Runs []flow.Run
}

// Continue runs the flows for a session that asks for new tokens. It fails with FLOW_BLOCKED,
// or if the session lacks what the flows or the risk of a changed browser or app demand: the
// person then has to sign in again. If the session was allowed to continue in another browser
// or app, that is stored and Continue fails with aggregate.ErrConflict, so that the caller
// starts over with the new state.
func (s *Service) Continue(ctx context.Context, call command.Call, of outbound.Identity, held role.EffectiveRoles) (Going, error) {
	e := refreshing(of.User.ID, &of.Session, call)
	if err := s.reconsider(ctx, of, e); err != nil {
		return Going{}, err
	}
	going, err := s.renewed(ctx, of, held, e)
	if err == nil && e.risk.done {
		err = s.goOn(ctx, e)
	}
	return going, err
}

// refreshing returns the entry of a session that asks for new tokens.
func refreshing(person user.ID, within *session.Snapshot, call command.Call) *entry {
	return &entry{
		Proof:  Proof{Wanted: Wanted{Call: call}, UserID: person, AMR: within.AMR},
		within: within, org: within.OrgID, trigger: flow.Refresh,
	}
}

// GoingGrant is a grant that may continue.
type GoingGrant struct {
	Going

	// Met is the revision of the instance at which it meets the sign-in rules of its workspace,
	// OwnerMet the same for the one that owns the app.
	Met, OwnerMet int64
}

// ContinueGrant is Continue for a grant whose client asks for new tokens. The sign-in rules of
// the workspace apply too, if they were tightened since the grant met them. If those of the workspace
// that owns the app are not met, the grant continues, but the app sees no member of that workspace.
// The client is no browser of the person, so its address and user agent say nothing about risk.
func (s *Service) ContinueGrant(ctx context.Context, call command.Call, of *outbound.GrantIdentity, held role.EffectiveRoles) (*GoingGrant, error) {
	g := of.Grant
	within := session.Snapshot{
		UserID: g.UserID, OrgID: g.OrgID, CreatedAt: g.CreatedAt, AuthTime: g.AuthTime, AMR: g.AMR, UserAgent: call.UserAgent, LastUsedAt: g.LastUsedAt,
	}
	met, ownerMet := g.Met, g.OwnerMet
	if !g.Meets(of.Rules) {
		if err := s.readmitGrant(ctx, call, within); err != nil {
			return nil, err
		}
		met = call.Revision
	}
	if of.OwnerMember && !of.MeetsOwner() && ownerMet != workspace.KeptOut && g.TellsPlace(of.App) {
		unmet, err := s.Unmet(ctx, call, of.App.OrgID, within)
		if err != nil {
			return nil, err
		}
		if unmet == nil {
			ownerMet = call.Revision
		}
	}
	going, err := s.renewed(ctx, outbound.Identity{Session: within, User: of.User, Held: of.Held}, held, refreshing(of.User.ID, &within, call))
	return &GoingGrant{Going: going, Met: met, OwnerMet: ownerMet}, err
}

// renewed runs the flows for a session that asks for new tokens.
func (s *Service) renewed(ctx context.Context, of outbound.Identity, held role.EffectiveRoles, e *entry) (Going, error) {
	if live.Trigger(ctx) == "" {
		return Going{Claims: of.Session.Claims}, nil
	}
	verdict, err := live.DecideAlone(ctx, live.Subject{
		Org: of.Session.OrgID, User: of.User.ID, Email: of.User.Email,
		Facts: func(needs func(string) bool) (map[string]any, error) { return s.continuing(ctx, of, held, needs) },
		Weigh: func() (live.Weight, error) { return s.weighContinuing(ctx, of, e) },
	})
	if err == nil {
		err = verdict.Err()
	}
	if err != nil {
		return Going{}, err
	}
	if err := s.unmet(ctx, of, verdict.Demand); err != nil {
		return Going{}, cmp.Or(live.Keep(ctx, verdict.Runs), err)
	}
	claims := maps.Clone(of.Session.Claims)
	if claims == nil {
		claims = verdict.Claims
	}
	maps.Copy(claims, verdict.Claims)
	return Going{Claims: claims, Runs: verdict.Runs}, nil
}

// unmet fails if a session lacks what flows demand.
func (s *Service) unmet(ctx context.Context, of outbound.Identity, asked flow.Demand) error {
	switch {
	case asked.MFA && !s.factorGiven(of.Session, asked):
		return errStale
	case over(of.Session, asked, s.Clock.Now()):
		return session.ErrRefresh
	}
	return s.undone(ctx, of.User, asked)
}

// continuing returns the facts that flows can read about a session that asks for new tokens.
func (s *Service) continuing(ctx context.Context, of outbound.Identity, held role.EffectiveRoles, needs func(string) bool) (map[string]any, error) {
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
