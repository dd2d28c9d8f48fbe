package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Sessions checks outbound.Sessions.
func Sessions(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.sessionsRoundTrip)
	t.Run("refuses a stale copy", w.sessionsStale)
	t.Run("keeps what ended for a while", w.sessionsPurge)
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
	made := w.session(t, w.begin(w.person(t, "purge@example.com").ID(), "", noon()))
	for _, c := range []struct {
		what string
		want time.Time
	}{
		{"active", made.Snapshot().ExpiresAt},
		{"ended", noon().Add(7 * 24 * time.Hour)},
	} {
		var due time.Time
		query := w.database.Dialect.Placeholders(`SELECT CASE WHEN purge_at = ? THEN 1 ELSE 0 END FROM sessions WHERE id = ?`)
		due = c.want
		var right bool
		if err := w.database.Read.GetContext(t.Context(), &right, query, due, made.ID().String()); err != nil || !right {
			t.Errorf("the %s session is not due to be purged at %v (%v)", c.what, due, err)
		}
		made.End(session.ByUser, noon())
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Sessions.Save(ctx, made) })
	}
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
		query outbound.SessionQuery
		want  []session.ID
	}{
		"all":           {outbound.SessionQuery{}, []session.ID{idling, others, recent, elsewhere, plain}},
		"user":          {outbound.SessionQuery{User: ada}, []session.ID{idling, recent, elsewhere, plain}},
		"org":           {outbound.SessionQuery{User: ada, Org: org}, []session.ID{idling, recent, plain}},
		"except":        {outbound.SessionQuery{User: ada, Except: recent}, []session.ID{idling, elsewhere, plain}},
		"ip":            {outbound.SessionQuery{IP: "2001:db8::1"}, []session.ID{elsewhere}},
		"amr":           {outbound.SessionQuery{AMR: "webauthn_%"}, []session.ID{elsewhere}},
		"part of amr":   {outbound.SessionQuery{AMR: "webauthn"}, nil},
		"wildcard amr":  {outbound.SessionQuery{AMR: "%"}, nil},
		"active since":  {outbound.SessionQuery{ActiveSince: now}, []session.ID{recent}},
		"issued before": {outbound.SessionQuery{User: bob, IssuedBefore: now}, []session.ID{others}},
		"issued at":     {outbound.SessionQuery{User: bob, IssuedBefore: noon()}, nil},
		"first page":    {outbound.SessionQuery{Limit: 2}, []session.ID{idling, others}},
		"second page":   {outbound.SessionQuery{Limit: 2, Before: others}, []session.ID{recent, elsewhere}},
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
