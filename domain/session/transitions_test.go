package session_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
)

// states are sessions as they may be half an hour after their beginning, by name.
func states() map[string]func() *session.Session {
	halfway := start().Add(30 * time.Minute)
	return map[string]func() *session.Session{
		"active": begun,
		"idle": func() *session.Session {
			s := begun().Snapshot()
			s.Idle = 30 * time.Minute
			return session.Restore(s, 1)
		},
		"expired": func() *session.Session {
			s := begun()
			s.Until(halfway)
			return s
		},
		"ended": func() *session.Session {
			s := begun()
			s.End(session.ByLogout, start())
			return s
		},
		"impersonated": func() *session.Session {
			return session.Impersonate(session.Start{ID: "ses_01jd7x9k2mf3q8v5t0abcdefgh"}, "usr_01jd7x9k2mf3q8v5t0abcdefgj", start().Add(time.Hour), start())
		},
	}
}

// Every verb in every state: a session that has ended, or is impersonated, is never renewed.
func TestTransitions(t *testing.T) {
	t.Parallel()
	now := start().Add(30 * time.Minute)
	type result struct {
		err    error
		active bool
		events []event.Kind
	}
	refused := func(active bool) result { return result{session.ErrEnded, active, nil} }
	// table holds the result for an active session; all others are refused.
	table := func(active result) map[string]result {
		return map[string]result{"active": active, "idle": refused(false), "expired": refused(false), "ended": refused(false), "impersonated": refused(true)}
	}
	over := func(events ...event.Kind) result { return result{nil, false, events} }
	for _, verb := range []struct {
		name string
		do   func(*session.Session) error
		want map[string]result
	}{
		{
			"Rotate", func(s *session.Session) error { return s.Rotate(first, second, retry, now) },
			table(result{nil, true, []event.Kind{session.KindRefreshed}}),
		},
		{
			"Rotate, stolen", func(s *session.Session) error { return s.Rotate(third, second, retry, now) },
			table(result{session.ErrReused, false, []event.Kind{session.KindReuseDetected, session.KindRevoked}}),
		},
		{
			"Rotate, by none", func(s *session.Session) error { return s.Rotate("", second, retry, now) },
			table(result{session.ErrReused, false, []event.Kind{session.KindReuseDetected, session.KindRevoked}}),
		},
		{
			"Switch", func(s *session.Session) error { return s.Switch("org_01jd7x9k2mf3q8v5t0abcdefgj", second, now) },
			table(result{nil, true, []event.Kind{session.KindTeamSwitched}}),
		},
		{
			"Reauthenticate", func(s *session.Session) error { return s.Reauthenticate(second, []string{"pwd"}, now) },
			table(result{nil, true, []event.Kind{session.KindReauthenticated}}),
		},
		{
			"Strengthen", func(s *session.Session) error { return s.Strengthen([]string{"pwd", "mfa"}, now) },
			table(result{nil, true, nil}),
		},
		{
			"End", func(s *session.Session) error { s.End(session.ByAdmin, now); return nil },
			map[string]result{"active": over(session.KindRevoked), "idle": over(session.KindRevoked), "expired": over(session.KindRevoked), "ended": over(), "impersonated": over(session.KindRevoked)},
		},
		{
			"Return", func(s *session.Session) error { s.Return(session.ByStop, now); return nil },
			map[string]result{"active": over(), "idle": over(), "expired": over(), "ended": over(), "impersonated": over()},
		},
	} {
		for state, prepare := range states() {
			s := prepare()
			want, said := verb.want[state]
			if !said {
				t.Errorf("%s of a session that is %s: the table says nothing", verb.name, state)
			}
			s.Stored()
			before := s.Snapshot()
			if err := verb.do(s); !errors.Is(err, want.err) || s.Active(now) != want.active {
				t.Errorf("%s of a session that is %s: got %v, active %v, want %v, %v", verb.name, state, err, s.Active(now), want.err, want.active)
			}
			if errors.Is(want.err, session.ErrEnded) && !reflect.DeepEqual(s.Snapshot(), before) {
				t.Errorf("%s of a session that is %s: got %+v after a refusal, want %+v", verb.name, state, s.Snapshot(), before)
			}
			if got := raisedBy(t, s); !slices.Equal(got, want.events) {
				t.Errorf("%s of a session that is %s: got events %v, want %v", verb.name, state, got, want.events)
			}
		}
	}
}

// raisedBy returns the kinds of the events that were raised, each of which is in the catalog.
func raisedBy(t *testing.T, s *session.Session) []event.Kind {
	t.Helper()
	var raised []event.Kind
	for _, data := range s.Stored() {
		raised = append(raised, data.Kind())
		if !slices.ContainsFunc(session.Events(), func(d event.Definition) bool { return d.Example.Kind() == data.Kind() }) {
			t.Errorf("got an event %s, want one of the catalog", data.Kind())
		}
	}
	return raised
}

// After a new proof of presence the token before it is worth nothing, not even within the retry window.
func TestReauthenticateReplacesTheToken(t *testing.T) {
	t.Parallel()
	s, now := begun(), start().Add(time.Minute)
	if err := s.Reauthenticate(second, []string{"pwd", session.ByFactors}, now); err != nil {
		t.Fatal(err)
	}
	if got := s.Snapshot(); !got.AuthTime.Equal(now) || !got.HasFactors() || !got.LastUsedAt.Equal(now) {
		t.Errorf("after Reauthenticate(): got %+v, want presence and factors of now", got)
	}
	if err := s.Rotate(first, second, retry, now); !errors.Is(err, session.ErrReused) || s.Active(now) {
		t.Errorf("Rotate() of the token before = %v, active %v, want ErrReused and the end", err, s.Active(now))
	}
}

// A switch replaces the token as a rotation does, so that an answer that was lost can be had again.
func TestSwitchReplacesTheToken(t *testing.T) {
	t.Parallel()
	s, now := begun(), start().Add(time.Minute)
	if err := s.Switch("org_01jd7x9k2mf3q8v5t0abcdefgj", second, now); err != nil {
		t.Fatal(err)
	}
	if got := s.Snapshot().OrgID; got != "org_01jd7x9k2mf3q8v5t0abcdefgj" {
		t.Errorf("OrgID = %s, want that of the switch", got)
	}
	if err := s.Rotate(first, second, retry, now.Add(retry)); err != nil {
		t.Errorf("Rotate() of the token before within the window = %v, want nil", err)
	}
	if err := s.Rotate(second, third, retry, now.Add(retry)); err != nil {
		t.Errorf("Rotate() of the new token = %v, want nil", err)
	}
}

// Strengthen adds ways, and makes presence no younger.
func TestStrengthenKeepsPresence(t *testing.T) {
	t.Parallel()
	s := begun()
	if s.Snapshot().HasFactors() {
		t.Error("HasFactors() of a new session = true, want false")
	}
	if err := s.Strengthen([]string{"pwd", session.ByFactors}, start().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if got := s.Snapshot(); !got.HasFactors() || !got.AuthTime.Equal(start()) {
		t.Errorf("after Strengthen(): got factors %v, presence at %v, want factors, presence at %v", got.HasFactors(), got.AuthTime, start())
	}
}

// Flows can only shorten a session, and their claims replace those before.
func TestBind(t *testing.T) {
	t.Parallel()
	now := start().Add(30 * time.Minute)
	claims := map[string]json.RawMessage{"tier": json.RawMessage(`"gold"`)}
	for name, c := range map[string]struct {
		idle, absolute time.Duration
		wantIdle       time.Duration
		wantEnd        time.Time
	}{
		"without limits": {0, 0, time.Hour, start().Add(3 * time.Hour)},
		"shorter":        {10 * time.Minute, time.Hour, 10 * time.Minute, now.Add(time.Hour)},
		"longer":         {5 * time.Hour, 100 * time.Hour, time.Hour, start().Add(3 * time.Hour)},
		"as long":        {time.Hour, 150 * time.Minute, time.Hour, start().Add(3 * time.Hour)},
	} {
		s := begun()
		s.Bind(claims, c.idle, c.absolute, now)
		if got := s.Snapshot(); got.Idle != c.wantIdle || !got.ExpiresAt.Equal(c.wantEnd) || !reflect.DeepEqual(got.Claims, claims) {
			t.Errorf("%s: got idle %v, end %v, claims %v, want %v, %v, %v", name, got.Idle, got.ExpiresAt, got.Claims, c.wantIdle, c.wantEnd, claims)
		}
	}
}

// A session has met the rules of a workspace if it did so when they were as strict as now, and
// for releases that did not record it, if it began since.
func TestMeets(t *testing.T) {
	t.Parallel()
	const here, there = workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgh"), workspace.ID("org_01jd7x9k2mf3q8v5t0abcdefgj")
	recorded := map[workspace.ID]int64{here: 5}
	for name, c := range map[string]struct {
		met  map[workspace.ID]int64
		org  workspace.ID
		mark workspace.RulesMark
		want bool
	}{
		"no rules":                          {recorded, there, workspace.RulesMark{}, true},
		"met":                               {recorded, here, workspace.RulesMark{Revision: 5}, true},
		"tightened since":                   {recorded, here, workspace.RulesMark{Revision: 6}, false},
		"never met":                         {recorded, there, workspace.RulesMark{Revision: 1}, false},
		"unrecorded, since the rules":       {nil, here, workspace.RulesMark{Revision: 5, At: start()}, true},
		"unrecorded, before the rules":      {nil, here, workspace.RulesMark{Revision: 5, At: start().Add(1)}, false},
		"unrecorded, of another workspace":  {nil, there, workspace.RulesMark{Revision: 5, At: start()}, false},
		"recorded as none, since the rules": {map[workspace.ID]int64{}, here, workspace.RulesMark{Revision: 5, At: start()}, false},
	} {
		s := session.Snapshot{OrgID: here, CreatedAt: start(), Met: c.met}
		if got := s.Meets(c.org, c.mark); got != c.want {
			t.Errorf("%s: Meets() = %v, want %v", name, got, c.want)
		}
	}
}

// Of too many workspaces the one whose rules were met the longest ago is forgotten, and a copy of the
// state that was taken before stays as it was.
func TestMeetIsBounded(t *testing.T) {
	t.Parallel()
	const most = 100
	s := begun()
	named := func(i int) workspace.ID { return workspace.ID(fmt.Sprintf("org_%03d", i)) }
	for i := range most {
		s.Meet(named(i), int64(i+1))
	}
	before := s.Snapshot()
	s.Meet(named(0), most+1)
	s.Meet(named(most), most+2)
	if got := len(before.Met); got != most || before.MetAt(named(0)) != 1 {
		t.Errorf("the copy taken before: got %d workspaces, the first met at %d, want %d and 1", got, before.MetAt(named(0)), most)
	}
	met := s.Snapshot()
	for i, want := range map[int]int64{0: most + 1, 1: 0, 2: 3, most: most + 2} {
		if got := met.MetAt(named(i)); got != want {
			t.Errorf("MetAt(%s) = %d, want %d", named(i), got, want)
		}
	}
	if got := len(met.Met); got != most {
		t.Errorf("the session records %d workspaces, want %d", got, most)
	}
	old := session.Restore(session.Snapshot{}, 1)
	if old.Meet(named(0), 7); old.Snapshot().MetAt(named(0)) != 7 {
		t.Errorf("MetAt() of a session that recorded nothing = %d, want 7", old.Snapshot().MetAt(named(0)))
	}
}

func TestOwnership(t *testing.T) {
	t.Parallel()
	s := begun()
	if !s.OwnedBy("usr_01jd7x9k2mf3q8v5t0abcdefgh") || s.OwnedBy("usr_01jd7x9k2mf3q8v5t0abcdefgj") || s.OwnedBy("") {
		t.Error("OwnedBy() holds for another person, or not for the owner")
	}
	if s.GoOnWith("curl/8"); s.Snapshot().UserAgent != "curl/8" || s.Snapshot().ID != s.ID() {
		t.Errorf("UserAgent = %q, want curl/8", s.Snapshot().UserAgent)
	}
}
