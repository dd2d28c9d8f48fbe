package license_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"gatehouse.internal/domain/feature"
	"gatehouse.internal/domain/license"
	"gatehouse.internal/domain/product"
)

const (
	day   = 24 * time.Hour
	table = product.ID("prd_01jd7x9k2mf3q8v5t0abcdefgh")
)

func noon() time.Time { return time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) }

func issued(t *testing.T, terms license.Terms, own license.OwnTerms) *license.License {
	t.Helper()
	made, err := license.Issue(license.Draft{ProductID: table, Terms: terms, Own: own}, noon())
	if err != nil {
		t.Fatalf("Issue() = %v", err)
	}
	return made
}

// Every transition from every state.
func TestStates(t *testing.T) {
	t.Parallel()
	steps := map[string]func(*license.License) error{
		"suspend":   func(l *license.License) error { return l.Suspend("unpaid", noon()) },
		"reinstate": func(l *license.License) error { return l.Reinstate(noon()) },
		"revoke":    func(l *license.License) error { l.Revoke("refunded", noon()); return nil },
		"update":    func(l *license.License) error { return l.Update(license.Change{}, noon()) },
		"rotate":    func(l *license.License) error { return l.Rotate(0, noon()) },
	}
	for from, ways := range map[license.Status]map[string]struct {
		to  license.Status
		err error
	}{
		license.Active: {
			"suspend": {license.Suspended, nil}, "reinstate": {license.Active, license.ErrActive}, "revoke": {license.Revoked, nil},
			"update": {license.Active, nil}, "rotate": {license.Active, nil},
		},
		license.Suspended: {
			"suspend": {license.Suspended, license.ErrSuspended}, "reinstate": {license.Active, nil}, "revoke": {license.Revoked, nil},
			"update": {license.Suspended, nil}, "rotate": {license.Suspended, nil},
		},
		license.Revoked: {
			"suspend": {license.Revoked, license.ErrRevoked}, "reinstate": {license.Revoked, license.ErrRevoked}, "revoke": {license.Revoked, nil},
			"update": {license.Revoked, license.ErrRevoked}, "rotate": {license.Revoked, license.ErrRevoked},
		},
	} {
		for step, want := range ways {
			l := issued(t, license.Plain(), license.OwnTerms{})
			if from == license.Suspended {
				_ = l.Suspend("", noon())
			}
			if from == license.Revoked {
				l.Revoke("", noon())
			}
			if err := steps[step](l); !errors.Is(err, want.err) || l.Snapshot().Status != want.to {
				t.Errorf("%s of one that is %s: %v, %s; want %v, %s", step, from, err, l.Snapshot().Status, want.err, want.to)
			}
		}
	}
}

// Terms that were set for one license stay when its policy changes.
func TestApply(t *testing.T) {
	t.Parallel()
	five, two := 5, 2
	terms := license.Plain()
	terms.DurationDays, terms.MaxMachines, terms.Seats = 10, 1, 1
	l := issued(t, terms, license.OwnTerms{Seats: &five})
	if err := l.Update(license.Change{Own: license.OwnTerms{MaxMachines: &two}}, noon()); err != nil {
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
	if updated, ok := l.Stored()[0].(license.Updated); !ok || !reflect.DeepEqual(updated.Changed, []string{"duration_days", "features"}) {
		t.Errorf("told %+v", updated)
	}
	l.Apply(changed, noon())
	l.Revoke("", noon())
	l.Stored()
	l.Apply(terms, noon())
	if l.Changed() {
		t.Error("a revoked license got other terms")
	}
}

func TestEnds(t *testing.T) {
	t.Parallel()
	later := noon().Add(3 * day)
	for name, c := range map[string]struct {
		terms   func(*license.Terms)
		own     license.OwnTerms
		started bool
		after   time.Duration
		want    license.Status
		ends    time.Time
	}{
		"for ever":            {func(*license.Terms) {}, license.OwnTerms{}, false, 1000 * day, license.Active, time.Time{}},
		"the last moment":     {func(t *license.Terms) { t.DurationDays = 10 }, license.OwnTerms{}, false, 10*day - 1, license.Active, noon().Add(10 * day)},
		"over":                {func(t *license.Terms) { t.DurationDays = 10 }, license.OwnTerms{}, false, 10 * day, license.Expired, noon().Add(10 * day)},
		"an end of its own":   {func(t *license.Terms) { t.DurationDays = 10 }, license.OwnTerms{ExpiresAt: &later}, false, 3 * day, license.Expired, later},
		"not activated":       {func(t *license.Terms) { t.DurationDays, t.Starts = 10, license.AtActivation }, license.OwnTerms{}, false, 99 * day, license.Active, time.Time{}},
		"activated":           {func(t *license.Terms) { t.DurationDays, t.Starts = 10, license.AtActivation }, license.OwnTerms{}, true, 11 * day, license.Expired, noon().Add(11 * day)},
		"in grace":            {func(t *license.Terms) { t.DurationDays, t.OnExpiry, t.GraceDays = 10, license.Grace, 2 }, license.OwnTerms{}, false, 12*day - 1, license.Active, noon().Add(12 * day)},
		"grace over":          {func(t *license.Terms) { t.DurationDays, t.OnExpiry, t.GraceDays = 10, license.Grace, 2 }, license.OwnTerms{}, false, 12 * day, license.Expired, noon().Add(12 * day)},
		"an end that is none": {func(t *license.Terms) { t.DurationDays, t.OnExpiry = 10, license.Allow }, license.OwnTerms{}, false, 99 * day, license.Active, time.Time{}},
	} {
		terms := license.Plain()
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
	if _, err := license.Issue(license.Draft{Terms: license.Plain(), Own: license.OwnTerms{ExpiresAt: &past}}, noon()); !errors.Is(err, license.ErrPast) {
		t.Errorf("Issue() of one that is over = %v", err)
	}
}
