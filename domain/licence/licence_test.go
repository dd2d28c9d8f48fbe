package licence_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/licence"
	"gatehouse.internal/domain/product"
)

const (
	day   = 24 * time.Hour
	table = product.ID("prd_01jd7x9k2mf3q8v5t0abcdefgh")
)

func noon() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }

func issued(t *testing.T, terms licence.Terms, own licence.Own) *licence.Licence {
	t.Helper()
	made, err := licence.Issue(licence.Draft{ProductID: table, Terms: terms, Own: own}, noon())
	if err != nil {
		t.Fatalf("Issue() = %v", err)
	}
	return made
}

// Every transition from every state.
func TestStates(t *testing.T) {
	t.Parallel()
	steps := map[string]func(*licence.Licence) error{
		"suspend":   func(l *licence.Licence) error { return l.Suspend("unpaid", noon()) },
		"reinstate": func(l *licence.Licence) error { return l.Reinstate(noon()) },
		"revoke":    func(l *licence.Licence) error { l.Revoke("refunded", noon()); return nil },
		"update":    func(l *licence.Licence) error { return l.Update(licence.Change{}, noon()) },
		"rotate":    func(l *licence.Licence) error { return l.Rotate(0, noon()) },
	}
	for from, ways := range map[licence.Status]map[string]struct {
		to  licence.Status
		err error
	}{
		licence.Active: {
			"suspend": {licence.Suspended, nil}, "reinstate": {licence.Active, licence.ErrActive}, "revoke": {licence.Revoked, nil},
			"update": {licence.Active, nil}, "rotate": {licence.Active, nil},
		},
		licence.Suspended: {
			"suspend": {licence.Suspended, licence.ErrSuspended}, "reinstate": {licence.Active, nil}, "revoke": {licence.Revoked, nil},
			"update": {licence.Suspended, nil}, "rotate": {licence.Suspended, nil},
		},
		licence.Revoked: {
			"suspend": {licence.Revoked, licence.ErrRevoked}, "reinstate": {licence.Revoked, licence.ErrRevoked}, "revoke": {licence.Revoked, nil},
			"update": {licence.Revoked, licence.ErrRevoked}, "rotate": {licence.Revoked, licence.ErrRevoked},
		},
	} {
		for step, want := range ways {
			l := issued(t, licence.Plain(), licence.Own{})
			if from == licence.Suspended {
				_ = l.Suspend("", noon())
			}
			if from == licence.Revoked {
				l.Revoke("", noon())
			}
			if err := steps[step](l); !errors.Is(err, want.err) || l.Snapshot().Status != want.to {
				t.Errorf("%s of one that is %s: %v, %s; want %v, %s", step, from, err, l.Snapshot().Status, want.err, want.to)
			}
		}
	}
}

// Terms that were set for one licence stay when its policy changes.
func TestApply(t *testing.T) {
	t.Parallel()
	five, two := 5, 2
	terms := licence.Plain()
	terms.DurationDays, terms.MaxMachines, terms.Seats = 10, 1, 1
	l := issued(t, terms, licence.Own{Seats: &five})
	if err := l.Update(licence.Change{Own: licence.Own{MaxMachines: &two}}, noon()); err != nil {
		t.Fatal(err)
	}
	if got := l.Snapshot().Overrides; !reflect.DeepEqual(got, []string{"max_machines", "seats"}) {
		t.Errorf("set for it alone: %v", got)
	}
	l.Stored()
	changed := terms
	changed.DurationDays, changed.MaxMachines, changed.Seats, changed.Features = 20, 9, 9, feature.Values{"a": true}
	l.Apply(changed, noon().Add(time.Hour))
	s := l.Snapshot()
	if s.Terms.Seats != 5 || s.Terms.MaxMachines != 2 || !reflect.DeepEqual(s.Terms.Features, changed.Features) {
		t.Errorf("the terms are %+v", s.Terms)
	}
	if want := noon().Add(20 * day); !s.ExpiresAt.Equal(want) {
		t.Errorf("it ends %s, want %s", s.ExpiresAt, want)
	}
	if told, ok := l.Stored()[0].(licence.Updated); !ok || !reflect.DeepEqual(told.Changed, []string{"duration_days", "features"}) {
		t.Errorf("told %+v", told)
	}
	l.Apply(changed, noon())
	l.Revoke("", noon())
	l.Stored()
	l.Apply(terms, noon())
	if l.Changed() {
		t.Error("a revoked licence got other terms")
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	later := noon().Add(3 * day)
	for name, c := range map[string]struct {
		terms   func(*licence.Terms)
		own     licence.Own
		started bool
		after   time.Duration
		want    licence.Status
		ends    time.Time
	}{
		"for ever":            {func(*licence.Terms) {}, licence.Own{}, false, 1000 * day, licence.Active, time.Time{}},
		"the last moment":     {func(t *licence.Terms) { t.DurationDays = 10 }, licence.Own{}, false, 10*day - 1, licence.Active, noon().Add(10 * day)},
		"over":                {func(t *licence.Terms) { t.DurationDays = 10 }, licence.Own{}, false, 10 * day, licence.Expired, noon().Add(10 * day)},
		"an end of its own":   {func(t *licence.Terms) { t.DurationDays = 10 }, licence.Own{ExpiresAt: &later}, false, 3 * day, licence.Expired, later},
		"not activated":       {func(t *licence.Terms) { t.DurationDays, t.Starts = 10, licence.AtActivation }, licence.Own{}, false, 99 * day, licence.Active, time.Time{}},
		"activated":           {func(t *licence.Terms) { t.DurationDays, t.Starts = 10, licence.AtActivation }, licence.Own{}, true, 11 * day, licence.Expired, noon().Add(11 * day)},
		"in grace":            {func(t *licence.Terms) { t.DurationDays, t.OnExpiry, t.GraceDays = 10, licence.Grace, 2 }, licence.Own{}, false, 12*day - 1, licence.Active, noon().Add(12 * day)},
		"grace over":          {func(t *licence.Terms) { t.DurationDays, t.OnExpiry, t.GraceDays = 10, licence.Grace, 2 }, licence.Own{}, false, 12 * day, licence.Expired, noon().Add(12 * day)},
		"an end that is none": {func(t *licence.Terms) { t.DurationDays, t.OnExpiry = 10, licence.Allow }, licence.Own{}, false, 99 * day, licence.Active, time.Time{}},
	} {
		terms := licence.Plain()
		c.terms(&terms)
		l := issued(t, terms, c.own)
		if c.started {
			l.Activated(noon().Add(day))
			l.Activated(noon().Add(2 * day))
		}
		s := l.Snapshot()
		if got := s.Current(noon().Add(c.after)); got != c.want || !s.Ends().Equal(c.ends) {
			t.Errorf("%s: %s, ends %s; want %s, %s", name, got, s.Ends(), c.want, c.ends)
		}
	}
	past := noon()
	if _, err := licence.Issue(licence.Draft{Terms: licence.Plain(), Own: licence.Own{ExpiresAt: &past}}, noon()); !errors.Is(err, licence.ErrPast) {
		t.Errorf("Issue() of one that is over = %v", err)
	}
}
