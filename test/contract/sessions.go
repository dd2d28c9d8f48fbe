package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/ports/outbound/people"
)

// Sessions checks people.Sessions.
func Sessions(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.sessionsRoundTrip)
	t.Run("refuses a stale copy", w.sessionsStale)
	t.Run("keeps what ended for a while", func(t *testing.T) { newWorld(t, open).sessionsPurge(t) })
	t.Run("finds active sessions", w.sessionsMatching)
	t.Run("takes any user agent", w.sessionsUserAgent)
}

func (w *world) sessionsRoundTrip(t *testing.T) {
	person := w.person(t, "session@example.com").ID()
	full := session.Snapshot{
		ID: like(w, session.ID("")), UserID: person, OrgID: like(w, workspace.ID("")),
		CreatedAt: noon(), AuthTime: noon().Add(-time.Second), AMR: []string{"pwd", "mfa"},
		IP: "2001:db8::1", UserAgent: "Mozilla/5.0 (\"quoted\")", Refresh: "new", Previous: "old",
		RotatedAt: noon().Add(time.Microsecond), LastUsedAt: noon().Add(2 * time.Microsecond), Idle: 30 * time.Minute,
		ExpiresAt: noon().Add(time.Hour), EndedAt: noon().Add(time.Minute), EndReason: session.ByLogout,
		ActedBy: like(w, user.ID("")), Met: map[workspace.ID]int64{like(w, workspace.ID("")): 7, like(w, workspace.ID("")): 1 << 40},
	}
	bare := session.Snapshot{
		ID: full.ID, UserID: person, CreatedAt: noon(), AuthTime: noon(), LastUsedAt: noon(), ExpiresAt: noon(),
	}
	for version, want := range []session.Snapshot{full, bare} {
		got := w.session(t, session.Restore(want, int64(version)))
		equal(t, "the session", got.Snapshot(), want)
		equal(t, "its version", got.Version(), int64(version+1))
	}
	w.fails(t, session.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Sessions.ByID(ctx, like(w, session.ID("")))
		return err
	})
}

func (w *world) sessionsStale(t *testing.T) {
	person := w.person(t, "stale-session@example.com").ID()
	one := w.session(t, w.begin(person, "", noon()))
	other := session.Restore(one.Snapshot(), one.Version())
	one.End(session.ByLogout, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Sessions.Save(ctx, one) })
	if err := other.Rotate("digest-1", "digest-2", time.Second, noon()); err != nil {
		t.Fatal(err)
	}
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Sessions.Save(ctx, other) })
}

func (w *world) sessionsPurge(t *testing.T) {
	person := w.person(t, "purge@example.com").ID()
	active, ended := w.session(t, w.begin(person, "", noon())), w.session(t, w.begin(person, "", noon()))
	ended.End(session.ByUser, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Sessions.Save(ctx, ended) })
	w.dueAt(t, ops.PurgeSessions, noon().Add(7*24*time.Hour))
	w.stored(t, active.ID())
	w.dueAt(t, ops.PurgeSessions, active.Snapshot().ExpiresAt)
}

func (w *world) sessionsMatching(t *testing.T) {
	ada, bob := w.person(t, "ada@example.com").ID(), w.person(t, "bob@example.com").ID()
	org := like(w, workspace.ID(""))
	now := noon().Add(time.Hour)
	store := func(change func(*session.Snapshot)) session.ID {
		s := w.begin(ada, org, noon()).Snapshot()
		change(&s)
		return w.session(t, session.Restore(s, 0)).ID()
	}
	plain := store(func(*session.Snapshot) {})
	elsewhere := store(func(s *session.Snapshot) { s.IP, s.AMR, s.OrgID = "2001:db8::1", []string{"webauthn_%"}, "" })
	recent := store(func(s *session.Snapshot) { s.LastUsedAt, s.CreatedAt = now, now })
	others := store(func(s *session.Snapshot) { s.UserID = bob })
	store(func(s *session.Snapshot) { s.EndedAt = noon() })
	store(func(s *session.Snapshot) { s.ExpiresAt = now })
	store(func(s *session.Snapshot) { s.Idle = time.Hour })
	idling := store(func(s *session.Snapshot) { s.Idle, s.LastUsedAt = time.Hour, noon().Add(time.Microsecond) })

	for name, c := range map[string]struct {
		query people.SessionQuery
		want  []session.ID
	}{
		"all":           {people.SessionQuery{}, []session.ID{idling, others, recent, elsewhere, plain}},
		"user":          {people.SessionQuery{User: ada}, []session.ID{idling, recent, elsewhere, plain}},
		"org":           {people.SessionQuery{User: ada, Org: org}, []session.ID{idling, recent, plain}},
		"except":        {people.SessionQuery{User: ada, Except: recent}, []session.ID{idling, elsewhere, plain}},
		"ip":            {people.SessionQuery{IP: "2001:db8::1"}, []session.ID{elsewhere}},
		"amr":           {people.SessionQuery{AMR: "webauthn_%"}, []session.ID{elsewhere}},
		"part of amr":   {people.SessionQuery{AMR: "webauthn"}, nil},
		"wildcard amr":  {people.SessionQuery{AMR: "%"}, nil},
		"active since":  {people.SessionQuery{ActiveSince: now}, []session.ID{recent}},
		"issued before": {people.SessionQuery{User: bob, IssuedBefore: now}, []session.ID{others}},
		"issued at":     {people.SessionQuery{User: bob, IssuedBefore: noon()}, nil},
		"first page":    {people.SessionQuery{Limit: 2}, []session.ID{idling, others}},
		"second page":   {people.SessionQuery{Limit: 2, Before: others}, []session.ID{recent, elsewhere}},
	} {
		c.query.Now = now
		var got []session.ID
		w.do(t, func(ctx context.Context, tx Repos) error {
			found, err := tx.Sessions.Matching(ctx, c.query)
			got = nil
			for _, s := range found {
				got = append(got, s.ID())
			}
			return err
		})
		equal(t, name, got, c.want)
	}
}

func (w *world) sessionsUserAgent(t *testing.T) {
	s := w.begin(w.person(t, "agent@example.com").ID(), "", noon()).Snapshot()
	s.UserAgent = "bad\xff\x00agent"
	equal(t, "the user agent", w.session(t, session.Restore(s, 0)).Snapshot().UserAgent, "bad\uFFFD\uFFFDagent")
}

// SessionDirectory checks people.SessionDirectory.
func SessionDirectory(t *testing.T, open Opener) {
	w := newWorld(t, open)
	ada, bob := w.person(t, "ada@example.com").ID(), w.person(t, "bob@example.com").ID()
	org := like(w, workspace.ID(""))
	var begun []*session.Session
	for i, start := range []session.Start{
		{UserID: ada, OrgID: org, AMR: []string{"pwd", "otp"}, IP: "203.0.113.7"},
		{UserID: ada, OrgID: like(w, workspace.ID("")), AMR: []string{"pwd"}, IP: "203.0.113.8"},
		{UserID: bob, OrgID: org, AMR: []string{"hwk"}, IP: "203.0.113.7"},
		{UserID: bob, OrgID: org, IP: "2001:db8::1"},
	} {
		start.ID, start.Policy = like(w, session.ID("")), policy.Defaults().Session
		begun = append(begun, w.session(t, session.Begin(start, noon().Add(time.Duration(i)*time.Minute))))
	}
	begun[3].End(session.ByLogout, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Sessions.Save(ctx, begun[3]) })
	idle, absolute := policy.Defaults().Session.Idle(), policy.Defaults().Session.Absolute()
	type query = people.SessionQuery
	for _, c := range []struct {
		what  string
		query query
		want  []int
	}{
		{"all that are active", query{}, []int{2, 1, 0}},
		{"one page", query{Limit: 2}, []int{2, 1}},
		{"the next page", query{Limit: 2, Before: begun[1].ID()}, []int{0}},
		{"one's own", query{User: ada}, []int{1, 0}},
		{"one's others", query{User: ada, Except: begun[1].ID()}, []int{0}},
		{"a workspace's", query{Org: org}, []int{2, 0}},
		{"an address's", query{IP: "203.0.113.7"}, []int{2, 0}},
		{"one's own of an address", query{IP: "203.0.113.7", User: bob}, []int{2}},
		{"those with a password", query{AMR: "pwd"}, []int{1, 0}},
		{"those with a part of a method", query{AMR: "pw"}, []int{}},
		{"those used lately", query{ActiveSince: noon().Add(time.Minute)}, []int{2, 1}},
		{"those that began before", query{IssuedBefore: noon().Add(time.Minute)}, []int{0}},
		{"at the idle end of the first", query{Now: noon().Add(idle)}, []int{2, 1}},
		{"just before it", query{Now: noon().Add(idle - time.Microsecond)}, []int{2, 1, 0}},
		{"long after", query{Now: noon().Add(absolute)}, []int{}},
	} {
		if c.query.Now.IsZero() {
			c.query.Now = noon()
		}
		found, err := w.store.SessionDirectory.List(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		places := []int{}
		for _, one := range found {
			for i, known := range begun {
				if known.ID() == one.ID {
					equal(t, "a listed session", one, known.Snapshot())
					places = append(places, i)
				}
			}
		}
		equal(t, c.what, places, c.want)
	}
}
