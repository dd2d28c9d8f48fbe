package login

import (
	"context"

	"gatehouse.internal/application/flow/live"
	"gatehouse.internal/application/flow/plan"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/workspace"
)

// subjects returns what flows decide about. A login that creates an account is subject to the
// flows for sign-up and to those for logins.
func (s *Service) subjects(ctx context.Context, tx Repos, e *entry) ([]live.Subject, error) {
	account := e.who.User.Snapshot()
	own := live.Subject{Trigger: e.trigger, Inside: e.inside, Org: e.org, User: e.UserID, Email: account.Email}
	own.Facts = func(needs func(string) bool) (map[string]any, error) { return s.facts(ctx, tx, e, needs) }
	own.Weigh = func() (live.Weight, error) { return s.weigh(ctx, tx, e, account.Email) }
	if !e.New {
		return []live.Subject{own}, nil
	}
	invited, err := s.invited(ctx, tx, e)
	if err != nil {
		return nil, err
	}
	begun := live.Subject{Trigger: flow.Signup, Org: invited, Email: account.Email}
	begun.Facts = func(needs func(string) bool) (map[string]any, error) {
		facts := map[string]any{"method": e.method(), "provider": e.provider(), "user": live.Newcomer(account.Email, s.Clock.Now())}
		return facts, s.orgFacts(ctx, tx, invited, needs, facts)
	}
	signup, ruled := live.Trigger(ctx) == flow.Signup, e.who.Entry.Rules.Revision > 0
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
func (s *Service) invited(ctx context.Context, tx Repos, e *entry) (workspace.ID, error) {
	if e.Invited != "" || e.Invitation == "" {
		return e.Invited, nil
	}
	held, err := tx.Inviting.Hold(ctx, e.Invitation, s.Clock.Now())
	return held.OrgID, err
}

// facts returns the facts that flows can read about a proved identity.
func (s *Service) facts(ctx context.Context, tx Repos, e *entry, needs func(string) bool) (map[string]any, error) {
	now := s.Clock.Now()
	person := live.Person{Snapshot: e.who.User.Snapshot(), Groups: e.who.Held.Groups, Enrolled: e.hasFactor()}
	if needs("user.roles") || e.who.Held.Rights == 0 {
		standing, err := s.standing(ctx, e.who.Held)
		if err != nil {
			return nil, err
		}
		person.Roles = standing.Roles
	}
	trusted := false
	if needs("device.trusted") && !e.Device.Empty() && e.Policies.MFA.RememberDays > 0 {
		var err error
		if trusted, err = s.recognized(ctx, tx, e); err != nil {
			return nil, err
		}
	}
	facts := map[string]any{
		"user": person.Facts(), "method": e.method(), "amr": plan.Anys(e.AMR), "provider": e.provider(),
		"device": live.Device(e.who.Client, trusted, now),
	}
	return facts, s.orgFacts(ctx, tx, e.org, needs, facts)
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
func (e *entry) method() string {
	switch by := workspace.MethodOf(e.AMR); {
	case e.New && (e.Invited != "" || e.Invitation != ""):
		return "invitation"
	case e.switching:
		return "session"
	case by == workspace.ByEmailCode:
		return "code"
	default:
		return string(by)
	}
}

func (e *entry) provider() string {
	if e.Arrival == nil {
		return ""
	}
	return string(e.Arrival.Provider)
}
