package session_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
)

const (
	first  = session.Digest("first")
	second = session.Digest("second")
	third  = session.Digest("third")
	retry  = 10 * time.Second
)

func start() time.Time { return time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC) }

func begun() *session.Session {
	return session.Begin(session.Start{
		ID: "ses_01jd7x9k2mf3q8v5t0abcdefgh", UserID: "usr_01jd7x9k2mf3q8v5t0abcdefgh", Refresh: first,
		Policy: policy.Session{IdleMinutes: 60, AbsoluteMinutes: 180},
	}, start())
}

func TestRotate(t *testing.T) {
	t.Parallel()
	now := start().Add(time.Minute)
	tests := []struct {
		name    string
		prepare func(s *session.Session)
		// presented and successor are handed in at this time.
		presented, successor session.Digest
		at                   time.Time
		window               time.Duration
		want                 error
		active               bool
	}{
		{name: "the current token rotates", presented: first, successor: second, at: now, window: retry, active: true},
		{
			name: "a retry within the window is answered", presented: first, successor: second, at: now.Add(retry), window: retry, active: true,
			prepare: func(s *session.Session) { _ = s.Rotate(first, second, retry, now) },
		},
		{
			name: "a retry after the window is reuse", presented: first, successor: second, at: now.Add(retry + time.Microsecond), window: retry, want: session.ErrReused,
			prepare: func(s *session.Session) { _ = s.Rotate(first, second, retry, now) },
		},
		{
			name: "a window of zero allows no later retry", presented: first, successor: second, at: now.Add(time.Microsecond), want: session.ErrReused,
			prepare: func(s *session.Session) { _ = s.Rotate(first, second, 0, now) },
		},
		{
			name: "nor one by a clock that is behind", presented: first, successor: second, at: now.Add(-time.Second), want: session.ErrReused,
			prepare: func(s *session.Session) { _ = s.Rotate(first, second, 0, now) },
		},
		{
			name: "a retry after the successor was used is reuse", presented: first, successor: second, at: now.Add(time.Second), window: retry, want: session.ErrReused,
			prepare: func(s *session.Session) {
				_ = s.Rotate(first, second, retry, now)
				_ = s.Rotate(second, third, retry, now)
			},
		},
		{
			name: "a retry that would get another successor is reuse", presented: first, successor: third, at: now.Add(time.Second), window: retry, want: session.ErrReused,
			prepare: func(s *session.Session) { _ = s.Rotate(first, second, retry, now) },
		},
		{name: "a token that was never this session's is reuse", presented: third, successor: second, at: now, window: retry, want: session.ErrReused},
		{
			name: "an ended session rotates no more", presented: first, successor: second, at: now, window: retry, want: session.ErrEnded,
			prepare: func(s *session.Session) { s.End(session.ByLogout, now) },
		},
		{name: "an idle session rotates no more", presented: first, successor: second, at: start().Add(time.Hour), window: retry, want: session.ErrEnded},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := begun()
			if test.prepare != nil {
				test.prepare(s)
			}
			if err := s.Rotate(test.presented, test.successor, test.window, test.at); !errors.Is(err, test.want) {
				t.Errorf("Rotate() = %v, want %v", err, test.want)
			}
			if got := s.Active(test.at); got != test.active {
				t.Errorf("Active() = %v, want %v", got, test.active)
			}
		})
	}
}

func TestRotateTellsWhatHappened(t *testing.T) {
	t.Parallel()
	s := begun()
	s.Stored()
	now := start().Add(time.Minute)
	if err := s.Rotate(first, second, retry, now); err != nil {
		t.Fatalf("Rotate() = %v", err)
	}
	if kinds := kindsOf(s); len(kinds) != 1 || kinds[0] != string(session.KindRefreshed) {
		t.Errorf("events of a rotation = %v, want session.refreshed alone", kinds)
	}
	if err := s.Rotate(first, second, retry, now); err != nil || s.Changed() {
		t.Errorf("a retry gave %v and changed = %v, want neither an error nor a change", err, s.Changed())
	}
	if err := s.Rotate(third, second, retry, now); !errors.Is(err, session.ErrReused) {
		t.Fatalf("Rotate() of a foreign token = %v, want ErrReused", err)
	}
	if kinds := kindsOf(s); len(kinds) != 2 || kinds[0] != string(session.KindReuseDetected) || kinds[1] != string(session.KindRevoked) {
		t.Errorf("events of a reuse = %v, want session.reuse_detected and session.revoked", kinds)
	}
}

func TestEndsOnce(t *testing.T) {
	t.Parallel()
	s := begun()
	s.Stored()
	s.End(session.ByUser, start())
	s.End(session.ByAdmin, start().Add(time.Second))
	if kinds := kindsOf(s); len(kinds) != 1 {
		t.Errorf("two ends told %v, want one event", kinds)
	}
	if got := s.Snapshot().EndReason; got != session.ByUser {
		t.Errorf("EndReason = %q, want that of the first end", got)
	}
}

func TestActiveEnds(t *testing.T) {
	t.Parallel()
	s := begun()
	for at, want := range map[time.Duration]bool{
		0: true, time.Hour - time.Microsecond: true, time.Hour: false, 4 * time.Hour: false,
	} {
		if got := s.Active(start().Add(at)); got != want {
			t.Errorf("Active() after %v = %v, want %v", at, got, want)
		}
	}
	for _, minute := range []time.Duration{50, 100, 150} {
		if err := s.Rotate(s.Snapshot().Refresh, s.Snapshot().Refresh+"x", retry, start().Add(minute*time.Minute)); err != nil {
			t.Fatalf("Rotate() after %d minutes = %v", minute, err)
		}
	}
	if s.Active(start().Add(180 * time.Minute)) {
		t.Error("a session that is used lasts beyond its absolute end")
	}
}

func kindsOf(s *session.Session) []string {
	var kinds []string
	for _, data := range s.Stored() {
		kinds = append(kinds, string(data.Kind()))
	}
	return kinds
}

// An impersonated session is never renewed, proves nobody's presence, and raises no events: the
// impersonation does.
func TestImpersonatedSession(t *testing.T) {
	t.Parallel()
	now := start()
	impersonated := session.Impersonate(session.Start{ID: "ses_01jd7x9k2mf3q8v5t0abcdefgh", UserID: "usr_01jd7x9k2mf3q8v5t0abcdefgh"}, "usr_01jd7x9k2mf3q8v5t0abcdefgj", now.Add(time.Hour), now)
	if events := impersonated.Stored(); len(events) != 0 {
		t.Errorf("got events %v, want none", events)
	}
	s := impersonated.Snapshot()
	if s.ActedBy != "usr_01jd7x9k2mf3q8v5t0abcdefgj" || s.Refresh != "" || s.AuthTime.Unix() != 0 || len(s.AMR) != 0 {
		t.Errorf("got %+v, want the actor and no proof of presence", s)
	}
	if !s.Active(now.Add(time.Hour-1)) || s.Active(now.Add(time.Hour)) {
		t.Errorf("lasts from %s to %s", s.CreatedAt, s.ExpiresAt)
	}
	impersonated.Until(now.Add(2 * time.Hour))
	if !impersonated.Active(now.Add(59 * time.Minute)) {
		t.Error("it became shorter by a later end")
	}
	if impersonated.Until(now.Add(time.Minute)); impersonated.Active(now.Add(time.Minute)) {
		t.Error("it goes on after its end")
	}
	impersonated.Return(session.ByStop, now)
	impersonated.Return(session.ByBasis, now)
	if s := impersonated.Snapshot(); s.EndReason != session.ByStop || len(impersonated.Stored()) != 0 {
		t.Errorf("returned as %q", s.EndReason)
	}
}
