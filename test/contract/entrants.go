package contract

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/signin"
)

// Entrants checks signin.Entrants: it reads what the repositories of each part read.
func Entrants(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("reads all of somebody who enters their own workspace", w.entrantWhole)
	t.Run("reads the place in the workspace that is named", w.entrantShared)
	t.Run("reads who has no place there", w.entrantStranger)
	t.Run("enters the workspace last active", w.entrantLast)
	t.Run("misses who is not there", w.entrantGone)
}

func (w *world) entrant(t *testing.T, person user.ID, org workspace.ID) signin.Entrant {
	t.Helper()
	var found signin.Entrant
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Entrants.Entrant(ctx, signin.LoginTarget{Person: person, Org: org})
		return err
	})
	return found
}

func (w *world) entrantWhole(t *testing.T) {
	person := w.person(t, "whole-entrant@example.com").ID()
	own := w.team(t, true, role.Owner, person)
	w.team(t, false, role.Member, person)
	w.enrolled(t, person)
	w.passkeyRow(t, person, false)
	w.passkeyRow(t, w.person(t, "other-entrant@example.com").ID(), false)
	for _, org := range []workspace.ID{"", own} {
		got := w.entrant(t, person, org)
		w.do(t, func(ctx context.Context, tx Repos) error {
			account, err := tx.Users.ByID(ctx, person)
			if err != nil {
				return err
			}
			equal(t, "the account", got.User.Snapshot(), account.Snapshot())
			equal(t, "its version", got.User.Version(), account.Version())
			member, err := tx.Workspaces.Member(ctx, own, person)
			if err != nil {
				return err
			}
			equal(t, "the membership", got.Member.Snapshot(), member.Snapshot())
			equal(t, "its version", got.Member.Version(), member.Version())
			return nil
		})
		factors := w.factors(t, person)
		equal(t, "the factors", got.Factors.Snapshot(), factors.Snapshot())
		equal(t, "their version", got.Factors.Version(), factors.Version())
		equal(t, "whether there is a passkey", got.Passkey, true)
	}
}

func (w *world) entrantShared(t *testing.T) {
	person := w.person(t, "shared-entrant@example.com").ID()
	w.team(t, true, role.Owner, person)
	shared := w.team(t, false, role.Admin, w.person(t, "host-entrant@example.com").ID(), person)
	got := w.entrant(t, person, shared)
	equal(t, "the workspace", got.Member.Snapshot().OrgID, shared)
	equal(t, "the person", got.Member.Snapshot().UserID, person)
	equal(t, "the roles", got.Member.Roles(noon()), []string{role.Admin})
	equal(t, "whether there is a factor", got.Factors.Enrolled(), false)
	equal(t, "whose factors", got.Factors.Snapshot().UserID, person)
	equal(t, "whether there is a passkey", got.Passkey, false)
}

func (w *world) entrantStranger(t *testing.T) {
	person := w.person(t, "strange-entrant@example.com").ID()
	host := w.person(t, "visited-entrant@example.com").ID()
	for _, org := range []workspace.ID{"", w.team(t, true, role.Owner, host), w.team(t, false, role.Owner, host), like(w, workspace.ID(""))} {
		got := w.entrant(t, person, org)
		if got.Member != nil {
			t.Errorf("in %q: %+v", org, got.Member.Snapshot())
		}
		equal(t, "the account", got.User.ID(), person)
	}
}

// entrantLast names no workspace: it is the one last active, for as long as that can be
// entered by a member.
func (w *world) entrantLast(t *testing.T) {
	person := w.person(t, "last-entrant@example.com").ID()
	own, shared := w.team(t, true, role.Owner, person), w.team(t, false, role.Member, person)
	enters := func(what string, who signin.LoginTarget, want workspace.ID, last bool) {
		t.Helper()
		who.Person = person
		w.do(t, func(ctx context.Context, tx Repos) error {
			got, err := tx.Entrants.Entrant(ctx, who)
			if err != nil {
				return err
			}
			equal(t, what, got.Member.Snapshot().OrgID, want)
			equal(t, what+": whether it was active last", got.LastActive, last)
			return nil
		})
	}
	enters("at first", signin.LoginTarget{}, own, true)
	enters("a named one", signin.LoginTarget{Org: shared}, shared, false)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Entrants.Remember(ctx, person, shared) })
	enters("once it was active", signin.LoginTarget{}, shared, true)
	enters("home", signin.LoginTarget{Home: true}, own, false)
	w.reshaped(t, shared, func(s *workspace.Snapshot) {
		s.AllowedMethods, s.DisabledAt = []workspace.Method{workspace.ByPasskey}, noon()
	})
	enters("while it is suspended", signin.LoginTarget{}, own, false)
	entry := w.entrant(t, person, shared).Entry
	entry.Rules = workspace.RulesMark{}
	equal(t, "how it is entered", entry, workspace.Entry{AllowedMethods: []workspace.Method{workspace.ByPasskey}, Disabled: true})
	w.reshaped(t, shared, func(s *workspace.Snapshot) { s.DisabledAt = time.Time{} })
	w.leaves(t, shared, person)
	enters("once the person was removed", signin.LoginTarget{}, own, false)
}

// membersRemoved deletes a membership of the version it was read at, and moves the
// sessions that are active there, of that person alone.
func (w *world) membersRemoved(t *testing.T) {
	person, mate := w.person(t, "removed@example.com").ID(), w.person(t, "removed-mate@example.com").ID()
	own, org := w.team(t, true, role.Owner, person), w.team(t, false, role.Owner, person, mate)
	there, elsewhere, others := w.session(t, w.begin(person, org, noon())), w.session(t, w.begin(person, own, noon())), w.session(t, w.begin(mate, org, noon()))
	m := w.member(t, org, person)
	stale := w.member(t, org, person)
	stale.Assign(workspace.Builtin(role.Admin), time.Time{})
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Workspaces.SaveMember(ctx, stale) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Workspaces.RemoveMember(ctx, m) })
	m = w.member(t, org, person)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Workspaces.RemoveMember(ctx, m) })
	w.fails(t, workspace.ErrNotMember, func(ctx context.Context, tx Repos) error {
		_, err := tx.Workspaces.Member(ctx, org, person)
		return err
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		for _, c := range []struct {
			before *session.Session
			org    workspace.ID
			moved  int64
		}{{there, own, 1}, {elsewhere, own, 0}, {others, org, 0}} {
			after, err := tx.Sessions.ByID(ctx, c.before.ID())
			if err != nil {
				return err
			}
			equal(t, "the active workspace", after.Snapshot().OrgID, c.org)
			equal(t, "how far the version moved", after.Version()-c.before.Version(), c.moved)
		}
		return nil
	})
}

// guests counts who else is in a personal workspace.
func (w *world) guests(t *testing.T) {
	person, mate := w.person(t, "guest-host@example.com").ID(), w.person(t, "one-guest@example.com").ID()
	w.team(t, true, role.Owner, person, mate)
	for who, want := range map[user.ID]int{person: 1, mate: 0} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			n, err := tx.Own.Guests(ctx, who)
			equal(t, "guests", n, want)
			return err
		})
	}
}

// guestsAtOnce lets somebody join while the account goes: they wait, and find nothing.
func (w *world) guestsAtOnce(t *testing.T) {
	host, guest := w.person(t, "leaving-host@example.com"), w.person(t, "late-guest@example.com").ID()
	org := w.team(t, true, role.Owner, host.ID())
	vanish := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			n, err := tx.Own.Guests(t.Context(), host.ID())
			held()
			if err != nil || n > 0 {
				return errors.Join(err, errEnough)
			}
			host.Delete()
			return tx.Users.Delete(t.Context(), host)
		})
	}
	inTurn(t, vanish, func(done func()) error {
		err := w.unit.Do(t.Context(), func(tx Repos) error {
			return tx.Workspaces.SaveMember(t.Context(), workspace.Join(org, guest, role.Member, noon()))
		})
		done()
		if err == nil {
			return errors.New("somebody joined a workspace that is gone")
		}
		return nil
	})
	equal(t, "memberships of a workspace that is gone", w.membersIn(t, org), 0)
}

func (w *world) entrantGone(t *testing.T) {
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Entrants.Entrant(ctx, signin.LoginTarget{Person: like(w, user.ID(""))})
		return err
	})
}

// ruled is a workspace whose sign-in rules are changed, and a member with a session in it.
type ruled struct {
	*world

	org     workspace.ID
	person  user.ID
	session session.ID
	before  workspace.RulesMark
}

// SignInRules checks that everything that tightens the sign-in rules of a workspace marks them, and
// that every port which reads the mark reads the same one.
func SignInRules(t *testing.T, open Opener) {
	w := newWorld(t, open)
	person := w.person(t, "ruled@example.com").ID()
	r := &ruled{world: w, org: w.team(t, false, role.Owner, person), person: person}
	w.team(t, false, role.Owner, person)
	r.session = w.session(t, session.Begin(session.Start{ID: like(w, session.ID("")), UserID: person, OrgID: r.org}, noon())).ID()
	equal(t, "the mark of no rules", r.mark(t), workspace.RulesMark{})
	r.byFlows(t)
	r.byMethods(t)
	r.byPolicy(t)
}

// mark returns the mark of the rules, as each port reads it.
func (r *ruled) mark(t *testing.T) workspace.RulesMark {
	t.Helper()
	of := r.entrant(t, r.person, r.org).Entry.Rules
	for _, ask := range []outbound.AdmissionAsk{{Session: r.session}, {Session: r.session, Factors: true}, {Session: r.session, Org: r.org}} {
		answer, err := r.store.Admission.Admit(t.Context(), ask)
		is(t, "the admission", err, nil)
		equal(t, "the mark of an admission", answer.Identity.Rules, of)
	}
	return of
}

// What a change does to the mark of the rules.
const (
	marks  = "marks"
	keeps  = "keeps"
	resets = "resets"
)

// step makes a change, and checks what it does to the mark.
func (r *ruled) step(t *testing.T, what, does string, change func(ctx context.Context, tx Repos) error) {
	t.Helper()
	r.do(t, change)
	before, got := r.before, r.mark(t)
	r.before = got
	switch does {
	case keeps:
		equal(t, what, got, before)
	case resets:
		equal(t, what, got.Revision, int64(0))
	default:
		equal(t, what, got.Revision, r.instance(t.Context(), t).Revision)
		if got.Revision <= before.Revision || got.At.IsZero() {
			t.Errorf("%s: the mark is %+v, and was %+v", what, got, before)
		}
	}
}

// flow draws a flow of the workspace, and returns a change of it as a change of the store.
func (r *ruled) flow(t *testing.T, trigger flow.Trigger, name flow.Name) func(change func(f *flow.Flow)) func(ctx context.Context, tx Repos) error {
	t.Helper()
	draft := r.flowDraft(r.org, name)
	draft.Trigger = trigger
	r.do(t, func(ctx context.Context, tx Repos) error { return tx.Flows.Save(ctx, flow.New(draft, noon())) })
	return func(change func(f *flow.Flow)) func(ctx context.Context, tx Repos) error {
		return func(ctx context.Context, tx Repos) error {
			f, err := tx.Flows.ByName(ctx, r.org, name)
			if err != nil {
				return err
			}
			change(f)
			return tx.Flows.Save(ctx, f)
		}
	}
}

func (r *ruled) byFlows(t *testing.T) {
	t.Helper()
	enable := func(f *flow.Flow) { f.Enable(noon()) }
	describe := func(f *flow.Flow) { f.Describe("other", noon()) }
	rewrite := func(f *flow.Flow) {
		f.Rewrite(flow.Graph{Nodes: []flow.Node{{ID: "start", Type: "start"}}}, "other", noon())
	}
	refresh := r.flow(t, flow.Refresh, "refreshed")
	r.step(t, "a flow that signs nobody in", keeps, refresh(enable))
	for _, trigger := range flow.SignInTriggers() {
		change := r.flow(t, trigger, flow.Name("of-"+string(trigger[:4])))
		r.step(t, "a flow that is off", keeps, change(rewrite))
		r.step(t, "a flow", marks, change(enable))
		r.step(t, "a description", keeps, change(describe))
		r.step(t, "a version", marks, change(func(f *flow.Flow) {
			f.Rewrite(flow.Graph{Nodes: []flow.Node{{ID: "start", Type: "start"}, {ID: "end", Type: "allow"}}, Edges: []flow.Edge{{From: "start", To: "end"}}}, "other", noon())
		}))
		r.step(t, "another flow", keeps, refresh(rewrite))
		r.step(t, "no flow", resets, change(func(f *flow.Flow) { f.Disable(noon()) }))
	}
}

func (r *ruled) byMethods(t *testing.T) {
	t.Helper()
	methods := func(all ...workspace.Method) func(ctx context.Context, tx Repos) error {
		return func(ctx context.Context, tx Repos) error {
			found, err := tx.Workspaces.ByID(ctx, r.org)
			if err != nil {
				return err
			}
			if err := found.Update(workspace.Change{AllowedMethods: &all}); err != nil {
				return err
			}
			return tx.Workspaces.Save(ctx, found)
		}
	}
	r.step(t, "methods", marks, methods(workspace.ByPassword))
	r.step(t, "more methods", keeps, methods(workspace.ByPassword, workspace.ByPasskey))
	r.step(t, "fewer methods", marks, methods(workspace.ByPasskey))
	r.step(t, "all methods", resets, methods())
}

func (r *ruled) byPolicy(t *testing.T) {
	t.Helper()
	factor := func(values ops.PolicyValues) func(ctx context.Context, tx Repos) error {
		return func(ctx context.Context, tx Repos) error { return tx.Policies.Set(ctx, r.org, policy.KindMFA, values) }
	}
	required := func(want bool) {
		t.Helper()
		equal(t, "whether a factor is required", r.entrant(t, r.person, r.org).Entry.MFA, want)
	}
	r.step(t, "days", keeps, factor(ops.PolicyValues{"remember_days": json.RawMessage("3")}))
	required(false)
	r.step(t, "a factor", marks, factor(ops.PolicyValues{"required": json.RawMessage("true")}))
	required(true)
	r.step(t, "none any more", resets, factor(nil))
	required(false)
}
