package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
)

// Impersonations checks people.Impersonations, people.ImpersonationDirectory, and what
// outbound.Admission returns for impersonated sessions.
func Impersonations(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.impersonationsRoundTrip)
	t.Run("refuses a stale copy", w.impersonationsStale)
	t.Run("lists those that match", w.impersonationsListed)
	t.Run("finds those that are open", w.impersonationsOpen)
	t.Run("finds those that have fallen", func(t *testing.T) { newWorld(t, open).impersonationsFallen(t) })
	t.Run("keeps consents", w.impersonationsAllowed)
	t.Run("stands behind the impersonated session", w.impersonationsAdmitted)
	t.Run("goes with the person, and not with the actor", w.impersonationsGone)
	t.Run("removes old ones", func(t *testing.T) { newWorld(t, open).impersonationsPurged(t) })
}

// support is an impersonation with all that it rests on.
type support struct {
	impersonation.Snapshot

	person, actor      *user.User
	session, startedIn *session.Session
}

// acted makes somebody who acts as somebody else for an hour.
func (w *world) acted(t *testing.T) *support {
	t.Helper()
	s := &support{person: w.person(t, w.mailOf()), actor: w.helper(t)}
	s.startedIn = w.session(t, w.begin(s.actor.ID(), "", noon()))
	s.session = w.session(t, session.Impersonate(session.Start{ID: like(w, session.ID("")), UserID: s.person.ID()}, s.actor.ID(), noon().Add(time.Hour), noon()))
	s.Snapshot = impersonation.Snapshot{
		ID: like(w, impersonation.ID("")), UserID: s.person.ID(), ActorID: s.actor.ID(), OrgID: like(w, workspace.ID("")),
		SessionID: s.session.ID(), ActorSession: s.startedIn.ID(), Reason: "Tickét 4711", ReadOnly: true,
		StartedAt: noon(), ExpiresAt: noon().Add(time.Hour),
	}
	w.act(t, s.Snapshot, 0)
	return s
}

// helper makes a superadmin.
func (w *world) helper(t *testing.T) *user.User {
	t.Helper()
	made := w.person(t, w.mailOf())
	made.SetSuperadmin(true, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, made) })
	return made
}

// clearAccount deletes an account.
func (w *world) clearAccount(t *testing.T, id user.ID) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Users.ByID(ctx, id)
		if err != nil {
			return err
		}
		return tx.Users.Delete(ctx, found)
	})
}

// act stores an impersonation.
func (w *world) act(t *testing.T, s impersonation.Snapshot, version int64) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Acted.Save(ctx, impersonation.Restore(s, version))
	})
}

func (w *world) impersonationsRoundTrip(t *testing.T) {
	want := w.acted(t).Snapshot
	ended := want
	ended.EndedAt, ended.EndedBy, ended.ReadOnly = noon().Add(time.Microsecond), impersonation.ByPerson, false
	for version, want := range []impersonation.Snapshot{want, ended} {
		if version > 0 {
			w.act(t, want, int64(version))
		}
		w.do(t, func(ctx context.Context, tx Repos) error {
			got, err := tx.Acted.ByID(ctx, want.ID)
			is(t, "the impersonation", err, nil)
			equal(t, "the impersonation", got.Snapshot(), want)
			equal(t, "its version", got.Version(), int64(version+1))
			return nil
		})
	}
	w.fails(t, impersonation.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Acted.ByID(ctx, like(w, impersonation.ID("")))
		return err
	})
}

func (w *world) impersonationsStale(t *testing.T) {
	s := w.acted(t).Snapshot
	w.act(t, s, 1)
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Acted.Save(ctx, impersonation.Restore(s, 1)) })
}

func (w *world) impersonationsListed(t *testing.T) {
	first, second, ended, over := w.acted(t), w.acted(t), w.acted(t), w.acted(t)
	ended.EndedAt, ended.EndedBy = noon(), impersonation.ByActor
	w.act(t, ended.Snapshot, 1)
	over.ExpiresAt, over.ActorID, over.actor = noon(), second.ActorID, second.actor
	w.act(t, over.Snapshot, 1)
	yes, no := true, false
	for name, c := range map[string]struct {
		query people.ImpersonationQuery
		want  []*support
	}{
		"of a person":   {people.ImpersonationQuery{User: first.UserID}, []*support{first}},
		"of an actor":   {people.ImpersonationQuery{Actor: second.ActorID}, []*support{over, second}},
		"of both":       {people.ImpersonationQuery{Actor: second.ActorID, User: first.UserID}, nil},
		"concerning":    {people.ImpersonationQuery{Concerning: second.ActorID}, []*support{over, second}},
		"concerning, 2": {people.ImpersonationQuery{Concerning: first.UserID}, []*support{first}},
		"concerning, 3": {people.ImpersonationQuery{Concerning: first.UserID, User: second.UserID}, nil},
		"that go on":    {people.ImpersonationQuery{Active: &yes, Actor: second.ActorID}, []*support{second}},
		"that do not":   {people.ImpersonationQuery{Active: &no, Concerning: ended.UserID}, []*support{ended}},
		"over":          {people.ImpersonationQuery{Active: &no, Actor: second.ActorID}, []*support{over}},
		"first page":    {people.ImpersonationQuery{Actor: second.ActorID, Limit: 1}, []*support{over}},
		"second page":   {people.ImpersonationQuery{Actor: second.ActorID, Limit: 1, Before: over.ID}, []*support{second}},
	} {
		c.query.Now = noon()
		found, err := w.store.ImpersonationDirectory.List(t.Context(), c.query)
		is(t, name, err, nil)
		var want []people.Impersonation
		for _, one := range c.want {
			want = append(want, people.Impersonation{Snapshot: one.Snapshot, ActorName: one.actor.Snapshot().DisplayName})
		}
		if len(found)+len(want) > 0 {
			equal(t, name, found, want)
		}
	}
}

func (w *world) impersonationsOpen(t *testing.T) {
	first := w.acted(t)
	other := w.acted(t).Snapshot
	other.UserID, other.EndedAt = first.UserID, noon()
	w.act(t, other, 1)
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Acted.Open(ctx, first.UserID)
		is(t, "those that are open", err, nil)
		if len(found) != 1 || found[0].Snapshot().ID != first.ID {
			t.Errorf("open are %d", len(found))
		}
		return nil
	})
}

// fallen returns what ended each that has.
func (w *world) fallen(t *testing.T, now time.Time) map[impersonation.ID]impersonation.End {
	t.Helper()
	ended := map[impersonation.ID]impersonation.End{}
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Acted.Unended(ctx, "", 100)
		is(t, "those of which no end was noted", err, nil)
		for i := range found {
			if by := found[i].Fallen(now); by != "" {
				ended[found[i].ID] = by
			}
		}
		return nil
	})
	return ended
}

func (w *world) impersonationsFallen(t *testing.T) {
	want := map[impersonation.ID]impersonation.End{}
	store := func(u *user.User, change func(*user.Snapshot)) {
		s := u.Snapshot()
		change(&s)
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, user.Restore(s, u.Version())) })
	}
	end := func(s *session.Session, reason string) {
		s.Return(reason, noon())
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Sessions.Save(ctx, s) })
	}
	disabled := func(u *user.Snapshot) { u.Status = user.Disabled }
	for by, falls := range map[impersonation.End][]func(*support){
		"": {
			func(*support) {},
			func(s *support) {
				store(s.person, func(u *user.Snapshot) { u.Status, u.DisabledUntil = user.Disabled, noon() })
			},
		},
		impersonation.ByRights: {
			func(s *support) { store(s.actor, disabled) },
			func(s *support) { store(s.actor, func(u *user.Snapshot) { u.Superadmin = false }) },
			func(s *support) { w.clearAccount(t, s.ActorID) },
		},
		impersonation.ByUser: {
			func(s *support) { store(s.person, disabled) },
			func(s *support) { store(s.person, func(u *user.Snapshot) { u.Superadmin = true }) },
		},
		impersonation.BySession: {
			func(s *support) { end(s.session, session.ByUser) },
		},
		impersonation.ByConsent: {
			func(s *support) { end(s.session, session.ByConsent) },
		},
		impersonation.ByActorSession: {
			func(s *support) { end(s.startedIn, session.ByLogout) },
			func(s *support) {
				s.startedIn.Until(noon())
				w.do(t, func(ctx context.Context, tx Repos) error { return tx.Sessions.Save(ctx, s.startedIn) })
			},
		},
	} {
		for _, fall := range falls {
			s := w.acted(t)
			fall(s)
			if by != "" {
				want[s.ID] = by
			}
		}
	}
	ended := w.acted(t).Snapshot
	ended.EndedAt = noon()
	w.act(t, ended, 1)
	equal(t, "what ended them", w.fallen(t, noon()), want)
	equal(t, "all of them, in time", len(w.fallen(t, noon().Add(time.Hour))), len(want)+2)
	w.impersonationsPaged(t, len(want)+2)
}

// impersonationsPaged lists those of which no end was noted, all in all so many, a few at a time.
func (w *world) impersonationsPaged(t *testing.T, all int) {
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Acted.Unended(ctx, "", 2)
		is(t, "a few of them", err, nil)
		equal(t, "a few of them", len(found), 2)
		rest, err := tx.Acted.Unended(ctx, found[1].ID, 100)
		is(t, "the rest", err, nil)
		equal(t, "how many are the rest", len(rest), all-2)
		if rest[0].ID <= found[1].ID {
			t.Errorf("%s comes after %s", rest[0].ID, found[1].ID)
		}
		return nil
	})
}

func (w *world) impersonationsAllowed(t *testing.T) {
	person := w.person(t, w.mailOf()).ID()
	for _, until := range []time.Time{{}, noon().Add(time.Microsecond), noon().Add(time.Hour), {}} {
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Acted.Allow(ctx, person, until) })
		w.do(t, func(ctx context.Context, tx Repos) error {
			got, err := tx.Acted.AllowedUntil(ctx, person)
			is(t, "the consent", err, nil)
			equal(t, "the consent", got, until)
			return nil
		})
		got, err := w.store.ImpersonationDirectory.AllowedUntil(t.Context(), person)
		is(t, "the consent", err, nil)
		equal(t, "the consent", got, until)
	}
}

func (w *world) impersonationsAdmitted(t *testing.T) {
	s := w.acted(t)
	found := w.who(t, s.session.ID())
	if found.Impersonation == nil || found.Session.ActedBy != s.ActorID || found.Failing(noon()) != 0 {
		t.Fatalf("behind the session stands %+v", found)
	}
	equal(t, "impersonation of the session", found.Impersonation.Snapshot, s.Snapshot)
	if plain := w.who(t, s.startedIn.ID()); plain.Impersonation != nil || plain.Failing(noon()) != 0 {
		t.Errorf("behind a login stands %+v", plain)
	}
	s.startedIn.End(session.ByLogout, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Sessions.Save(ctx, s.startedIn) })
	if w.who(t, s.session.ID()).Failing(noon()) == 0 {
		t.Error("it outlives the session that it was started in")
	}
	orphan := w.session(t, session.Impersonate(session.Start{ID: like(w, session.ID("")), UserID: s.UserID}, s.ActorID, noon().Add(time.Hour), noon()))
	if w.who(t, orphan.ID()).Failing(noon()) == 0 {
		t.Error("an impersonated session without an impersonation is valid")
	}
}

func (w *world) impersonationsGone(t *testing.T) {
	s := w.acted(t)
	w.clearAccount(t, s.ActorID)
	listed := func() []people.Impersonation {
		found, err := w.store.ImpersonationDirectory.List(t.Context(), people.ImpersonationQuery{Actor: s.ActorID, Now: noon()})
		is(t, "the list", err, nil)
		return found
	}
	equal(t, "after the actor is gone", listed(), []people.Impersonation{{Snapshot: s.Snapshot}})
	w.clearAccount(t, s.UserID)
	equal(t, "after the person is gone", len(listed()), 0)
}

func (w *world) impersonationsPurged(t *testing.T) {
	s := w.acted(t)
	w.dueAt(t, ops.PurgeImpersonations, s.ExpiresAt.Add(impersonation.KeptFor))
}
