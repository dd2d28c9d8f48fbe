package impersonation_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/user"
)

const (
	ada  = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgh")
	root = user.ID("usr_01jd7x9k2mf3q8v5t0abcdefgj")
)

func noon() time.Time { return time.Date(2026, time.November, 27, 12, 0, 0, 0, time.UTC) }

func wish() impersonation.Draft {
	return impersonation.Draft{
		ID: "imp_01jd7x9k2mf3q8v5t0abcdefgh", Person: user.Snapshot{ID: ada}, Actor: root, Org: "org_01jd7x9k2mf3q8v5t0abcdefgh",
		Session: "ses_01jd7x9k2mf3q8v5t0abcdefgh", Through: "ses_01jd7x9k2mf3q8v5t0abcdefgj", Reason: "Ticket 4711",
	}
}

func TestStart(t *testing.T) {
	t.Parallel()
	hour, consent := policy.Session{ImpersonationMinutes: 60}, policy.Session{ImpersonationMinutes: 60, ImpersonationConsent: true}
	for name, c := range map[string]struct {
		change func(*impersonation.Draft)
		rules  policy.Session
		lasts  time.Duration
		err    error
	}{
		"by default":         {func(*impersonation.Draft) {}, hour, 15 * time.Minute, nil},
		"for as long as may": {func(w *impersonation.Draft) { w.Life = time.Hour }, hour, time.Hour, nil},
		"for too long":       {func(w *impersonation.Draft) { w.Life = time.Hour + time.Second }, hour, 0, impersonation.ErrTooLong},
		"where less may be":  {func(*impersonation.Draft) {}, policy.Session{ImpersonationMinutes: 5}, 5 * time.Minute, nil},
		"where none may be":  {func(*impersonation.Draft) {}, policy.Session{}, 0, impersonation.ErrOff},
		"as oneself":         {func(w *impersonation.Draft) { w.Person.ID = root }, hour, 0, impersonation.ErrSelf},
		"as a superadmin":    {func(w *impersonation.Draft) { w.Person.Superadmin = true }, hour, 0, impersonation.ErrSuperadmin},
		"as who is disabled": {func(w *impersonation.Draft) { w.Person.Status = user.Disabled }, hour, 0, impersonation.ErrUnusable},
		"without consent":    {func(*impersonation.Draft) {}, consent, 0, impersonation.ErrNoConsent},
		"with a past one":    {func(w *impersonation.Draft) { w.AllowedUntil = noon() }, consent, 0, impersonation.ErrNoConsent},
		"with consent":       {func(w *impersonation.Draft) { w.AllowedUntil = noon().Add(time.Hour) }, consent, 15 * time.Minute, nil},
		"with a short one":   {func(w *impersonation.Draft) { w.AllowedUntil = noon().Add(time.Minute) }, consent, time.Minute, nil},
		"with one unasked":   {func(w *impersonation.Draft) { w.AllowedUntil = noon().Add(time.Minute) }, hour, 15 * time.Minute, nil},
	} {
		w := wish()
		c.change(&w)
		made, err := impersonation.Start(w, c.rules, noon())
		if !errors.Is(err, c.err) {
			t.Errorf("%s: %v, want %v", name, err, c.err)
		}
		if err != nil {
			continue
		}
		s := made.Snapshot()
		if !s.ExpiresAt.Equal(noon().Add(c.lasts)) || !s.Active(noon()) || s.Active(s.ExpiresAt) {
			t.Errorf("%s: lasts from %s to %s", name, s.StartedAt, s.ExpiresAt)
		}
	}
}

// Whatever comes first ends it, and is told of once.
func TestImpersonationEndsOnce(t *testing.T) {
	t.Parallel()
	stop := func(i *impersonation.Impersonation) { i.Stop(impersonation.ByPerson, noon().Add(time.Minute)) }
	fall := func(i *impersonation.Impersonation) { i.Fall(impersonation.ByRights, noon().Add(time.Minute)) }
	late := func(i *impersonation.Impersonation) { i.Stop(impersonation.ByPerson, noon().Add(time.Hour)) }
	for name, c := range map[string]struct {
		first, second func(*impersonation.Impersonation)
		by            impersonation.End
		recorded      event.Kind
	}{
		"stopped":        {stop, fall, impersonation.ByPerson, impersonation.KindStopped},
		"fallen":         {fall, stop, impersonation.ByRights, impersonation.KindExpired},
		"stopped late":   {late, fall, impersonation.ByRights, impersonation.KindExpired},
		"stopped twice":  {stop, stop, impersonation.ByPerson, impersonation.KindStopped},
		"fallen by time": {fall, late, impersonation.ByRights, impersonation.KindExpired},
	} {
		made, err := impersonation.Start(wish(), policy.Session{ImpersonationMinutes: 60}, noon())
		if err != nil {
			t.Fatal(err)
		}
		made.Stored()
		c.first(made)
		c.second(made)
		events := made.Stored()
		if s := made.Snapshot(); s.EndedBy != c.by || len(events) != 1 || events[0].Kind() != c.recorded || s.EndedAt.IsZero() {
			t.Errorf("%s: ended by %s, told %v", name, s.EndedBy, events)
		}
	}
}

func TestUntil(t *testing.T) {
	t.Parallel()
	made, err := impersonation.Start(wish(), policy.Session{ImpersonationMinutes: 60}, noon())
	if err != nil {
		t.Fatal(err)
	}
	end := made.Snapshot().ExpiresAt
	if made.Until(end.Add(time.Hour)); !made.Snapshot().ExpiresAt.Equal(end) {
		t.Error("it became longer")
	}
	if made.Until(noon()); made.Active(noon()) {
		t.Error("it goes on after its end")
	}
}

// What it rests on ends it.
func TestFallen(t *testing.T) {
	t.Parallel()
	now := noon()
	account := func() impersonation.Party { return impersonation.Party{Exists: true} }
	open := session.Snapshot{ExpiresAt: now.Add(time.Hour), LastUsedAt: now, Idle: time.Hour}
	for name, c := range map[string]struct {
		change func(*impersonation.Standing)
		want   impersonation.End
	}{
		"stands":                    {func(*impersonation.Standing) {}, ""},
		"was stopped":               {func(s *impersonation.Standing) { s.EndedAt, s.EndedBy = now, impersonation.ByAdmin }, impersonation.ByAdmin},
		"is over":                   {func(s *impersonation.Standing) { s.ExpiresAt = now }, impersonation.ByTime},
		"actor is no superadmin":    {func(s *impersonation.Standing) { s.Actor.Superadmin = false }, impersonation.ByRights},
		"actor is disabled":         {func(s *impersonation.Standing) { s.Actor.Status = user.Disabled }, impersonation.ByRights},
		"actor is gone":             {func(s *impersonation.Standing) { s.Actor = impersonation.Party{} }, impersonation.ByRights},
		"person is disabled":        {func(s *impersonation.Standing) { s.Person.Status = user.Disabled }, impersonation.ByUser},
		"person was disabled":       {func(s *impersonation.Standing) { s.Person.Status, s.Person.DisabledUntil = user.Disabled, now }, ""},
		"person is gone":            {func(s *impersonation.Standing) { s.Person = impersonation.Party{} }, impersonation.ByUser},
		"person is a superadmin":    {func(s *impersonation.Standing) { s.Person.Superadmin = true }, impersonation.ByUser},
		"actor's session ended":     {func(s *impersonation.Standing) { s.StartedIn.EndedAt = now }, impersonation.ByActorSession},
		"actor's session is over":   {func(s *impersonation.Standing) { s.StartedIn.ExpiresAt = now }, impersonation.ByActorSession},
		"actor's session is idle":   {func(s *impersonation.Standing) { s.StartedIn.LastUsedAt = now.Add(-time.Hour) }, impersonation.ByActorSession},
		"actor's session is gone":   {func(s *impersonation.Standing) { s.StartedIn = session.Snapshot{} }, impersonation.ByActorSession},
		"its session ended":         {func(s *impersonation.Standing) { s.Session.EndedAt = now }, impersonation.BySession},
		"its session is gone":       {func(s *impersonation.Standing) { s.Session = session.Snapshot{} }, impersonation.BySession},
		"consent was taken back":    {func(s *impersonation.Standing) { s.Session.EndedAt, s.Session.EndReason = now, session.ByConsent }, impersonation.ByConsent},
		"consent was, and time ran": {func(s *impersonation.Standing) { s.Session.EndReason, s.ExpiresAt = session.ByConsent, now }, impersonation.ByConsent},
	} {
		s := impersonation.Standing{
			Snapshot: impersonation.Snapshot{ExpiresAt: now.Add(time.Hour)}, Person: account(), Actor: account(), Session: open, StartedIn: open,
		}
		s.Actor.Superadmin = true
		c.change(&s)
		if got := s.Fallen(now); got != c.want {
			t.Errorf("%s: ended by %q, want %q", name, got, c.want)
		}
	}
}

// What the policy allows no more ends, as a start would be refused.
func TestForbidden(t *testing.T) {
	t.Parallel()
	s := impersonation.Standing{Snapshot: impersonation.Snapshot{StartedAt: noon()}, AllowedUntil: noon().Add(10 * time.Minute)}
	hour, consent := policy.Session{ImpersonationMinutes: 60}, policy.Session{ImpersonationMinutes: 60, ImpersonationConsent: true}
	for name, c := range map[string]struct {
		rules policy.Session
		after time.Duration
		want  bool
	}{
		"allowed":               {hour, 59 * time.Minute, false},
		"for as long as it may": {hour, time.Hour, true},
		"not at all":            {policy.Session{}, 0, true},
		"with a consent":        {consent, 9 * time.Minute, false},
		"with one that is over": {consent, 10 * time.Minute, true},
		"with one that is moot": {hour, 10 * time.Minute, false},
	} {
		if got := s.Forbidden(c.rules, noon().Add(c.after)); got != c.want {
			t.Errorf("%s: forbidden %t", name, got)
		}
	}
}

func TestCheckConsent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		until time.Time
		want  error
	}{
		"no more":    {time.Time{}, nil},
		"a while":    {noon().Add(time.Second), nil},
		"the most":   {noon().Add(impersonation.MostConsent), nil},
		"now":        {noon(), impersonation.ErrAllowed},
		"for longer": {noon().Add(impersonation.MostConsent + time.Second), impersonation.ErrAllowed},
	} {
		if err := impersonation.CheckConsent(c.until, noon()); !errors.Is(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
