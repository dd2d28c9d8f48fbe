package login

import (
	"context"
	"errors"
	"time"

	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/signin"
)

// errOtherFactor is returned for a second factor that the flow does not accept.
var errOtherFactor = fault.New(fault.Auth, "a flow requires a different second factor: use another method")

// EnterNew is Enter for an account that was created in the same unit of work. It fails if the
// login is refused, so that the account is not created.
func (s *Service) EnterNew(ctx context.Context, tx Repos, p Proof) (Opened, error) {
	p.New = true
	opened, reason, err := s.Enter(ctx, tx, p)
	if err == nil && reason != "" {
		return Opened{}, ErrRefused
	}
	return opened, err
}

// decide runs the flows for a proved identity, before a session or challenge is created. What
// the flows demand is added to the proof; a denial is returned. No other step of the pipeline
// runs flows.
func (s *Service) decide(ctx context.Context, tx Repos, who signin.Entrant, p *Proof) (*fault.Error, error) {
	if live.Trigger(ctx) == "" {
		return nil, nil
	}
	subjects, err := s.subjects(ctx, tx, who, *p)
	if err != nil {
		return nil, err
	}
	for _, subject := range subjects {
		verdict, err := live.Decide(ctx, subject)
		if err != nil || verdict.Blocked != nil {
			return verdict.Blocked, err
		}
		p.Asked = p.Asked.And(verdict.Demand)
	}
	return nil, nil
}

// subjects returns what flows decide about. A login that creates an account is subject to the
// flows for sign-up and to those for logins.
func (s *Service) subjects(ctx context.Context, tx Repos, who signin.Entrant, p Proof) ([]live.Subject, error) {
	account := who.User.Snapshot()
	own := live.Subject{Trigger: p.Trigger, Inside: p.inside, Org: p.Org, User: p.UserID, Email: account.Email}
	own.Facts = func(needs func(string) bool) (map[string]any, error) { return s.facts(ctx, tx, who, p, needs) }
	own.Weigh = func() (live.Weight, error) { return s.weigh(ctx, tx, account.Email, p) }
	if !p.New {
		return []live.Subject{own}, nil
	}
	invited, err := s.invited(ctx, tx, p)
	if err != nil {
		return nil, err
	}
	begun := live.Subject{Trigger: flow.Signup, Org: invited, Email: account.Email}
	begun.Facts = func(needs func(string) bool) (map[string]any, error) {
		facts := map[string]any{"method": method(p), "provider": provider(p), "user": live.Newcomer(account.Email, s.Clock.Now())}
		return facts, s.orgFacts(ctx, tx, invited, needs, facts)
	}
	signup, ruled := live.Trigger(ctx) == flow.Signup, who.Entry.Rules.Revision > 0
	switch {
	case signup && !ruled:
		return []live.Subject{begun}, nil
	case signup:
		own.Trigger, own.Inside = flow.Login, true
	case !ruled:
		own.Org = "" // The personal workspace has just been created, so it has no flows.
	}
	own.User = ""
	return []live.Subject{begun, own}, nil
}

// invited returns the workspace whose invitation the new account accepts, or "".
func (s *Service) invited(ctx context.Context, tx Repos, p Proof) (workspace.ID, error) {
	if p.Invited != "" || p.Invitation == "" {
		return p.Invited, nil
	}
	held, err := tx.Inviting.Hold(ctx, p.Invitation, s.Clock.Now())
	return held.OrgID, err
}

// facts returns the facts that flows can read about a proved identity.
func (s *Service) facts(ctx context.Context, tx Repos, who signin.Entrant, p Proof, needs func(string) bool) (map[string]any, error) {
	now := s.Clock.Now()
	person := live.Person{Snapshot: who.User.Snapshot(), Groups: who.Held.Groups, Enrolled: who.Factors.Enrolled() || who.Passkey}
	if needs("user.roles") || who.Held.Rights == 0 {
		standing, err := s.standing(ctx, who.Held)
		if err != nil {
			return nil, err
		}
		person.Roles = standing.Roles
	}
	trusted := false
	if needs("device.trusted") && !p.Device.Empty() && p.Policies.MFA.RememberDays > 0 {
		var err error
		if trusted, err = s.recognized(ctx, tx, p); err != nil {
			return nil, err
		}
	}
	facts := map[string]any{
		"user": person.Facts(), "method": method(p), "amr": plan.Anys(p.AMR), "provider": provider(p),
		"device": live.Device(who.Client, trusted, now),
	}
	return facts, s.orgFacts(ctx, tx, p.Org, needs, facts)
}

// standing returns the roles and permissions of a member. The custom roles of a workspace are
// read outside the unit of work, which must not wait for another connection.
func (s *Service) standing(ctx context.Context, held role.MemberGrants) (role.EffectiveRoles, error) {
	look := func(ctx context.Context) (role.EffectiveRoles, error) {
		return s.Books.Standing(ctx, held, s.Clock.Now())
	}
	if held.Rights == 0 {
		return look(ctx)
	}
	return live.Look(ctx, "roles/"+held.Org.String(), look)
}

// orgFacts adds the facts about the workspace to enter.
func (s *Service) orgFacts(ctx context.Context, tx Repos, org workspace.ID, needs func(string) bool, facts map[string]any) error {
	if org == "" {
		facts["org"] = nil
		return nil
	}
	of := workspace.Snapshot{ID: org}
	if needs("org.slug") || needs("org.metadata") {
		found, err := tx.Workspaces.ByID(ctx, org)
		if err != nil {
			return err
		}
		of = found.Snapshot()
	}
	facts["org"] = live.Org(of)
	return nil
}

// method returns the name that flows have for how the identity was proved first.
func method(p Proof) string {
	switch by := workspace.MethodOf(p.AMR); {
	case p.New && (p.Invited != "" || p.Invitation != ""):
		return "invitation"
	case p.Switching:
		return "session"
	case by == workspace.ByEmailCode:
		return "code"
	default:
		return string(by)
	}
}

func provider(p Proof) string {
	if p.Arrival == nil {
		return ""
	}
	return string(p.Arrival.Provider)
}

// capped returns the session policy, shortened as flows demand.
func capped(rules policy.Session, asked flow.Demand) policy.Session {
	rules.IdleMinutes = flow.Shorter(rules.IdleMinutes, asked.IdleMinutes)
	rules.AbsoluteMinutes = flow.Shorter(rules.AbsoluteMinutes, asked.AbsoluteMinutes)
	return rules
}

// bind applies to a session that continues in another workspace what flows demand there.
func bind(held *session.Session, asked flow.Demand, now time.Time) {
	held.Bind(asked.Claims, time.Duration(asked.IdleMinutes)*time.Minute, time.Duration(asked.AbsoluteMinutes)*time.Minute, now)
}

// factorGiven reports whether a session already meets a demand for a second factor. Sessions
// do not record the method, so a demand for certain methods is never met.
func (s *Service) factorGiven(held session.Snapshot, asked flow.Demand) bool {
	fresh := asked.FreshSeconds == 0 || s.Clock.Now().Sub(held.AuthTime) <= time.Duration(asked.FreshSeconds)*time.Second
	return held.HasFactors() && asked.Methods == nil && fresh
}

// unfulfilled fails if a flow demands an action that has not been completed: only a new login
// creates a session that is limited to required actions.
func unfulfilled(of user.Snapshot, enrolled bool, by flow.Demand) error {
	for _, action := range asked(by, enrolled) {
		if action != user.VerifyEmail || !of.EmailVerified {
			return fault.New(fault.Auth, "a flow requires the action "+string(action)+": sign in again to complete it")
		}
	}
	return nil
}

// decidePresent runs the flows for a second factor that is given within a session.
func (s *Service) decidePresent(ctx context.Context, tx Repos, w *Answered) (*fault.Error, error) {
	if live.Trigger(ctx) == "" {
		return nil, nil
	}
	p := Proof{UserID: w.UserID, Org: w.Org, AMR: Joined(w.AMR, w.By...), Trigger: flow.MFAVerify, Asked: w.Asked, Call: w.Call, Policies: w.Policies}
	who, err := tx.Entrants.Entrant(ctx, p.entering())
	if err != nil || who.Member == nil {
		return nil, err
	}
	held, err := tx.Sessions.ByID(ctx, w.Session)
	if errors.Is(err, session.ErrNotFound) {
		return nil, nil // The session ended meanwhile; the caller will find out.
	}
	if err != nil {
		return nil, err
	}
	within := held.Snapshot()
	p.within = &within
	refusal, err := s.decide(ctx, tx, who, &p)
	if err != nil || refusal != nil {
		return refusal, err
	}
	if p.Asked.MFA && !p.Asked.Takes(string(w.Method)) {
		return errOtherFactor, nil
	}
	w.Asked = p.Asked
	return nil, nil
}

// Takes reports whether flows accept a method as the second factor.
func (w Waiting) Takes(by mfa.Method) bool { return flow.Demand{Methods: w.Only}.Takes(string(by)) }

// asked returns the actions that flows demand, without enrollment if there is a second factor.
func asked(by flow.Demand, factor bool) []user.Action {
	var all []user.Action
	for _, action := range by.Actions {
		if a := user.Action(action); a != user.EnrollMFA || !factor {
			all = append(all, a)
		}
	}
	return all
}
