package policy_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/iprule"
	"gatehouse.internal/domain/policy"
)

// weights are the fields of a risk policy by which an attempt scores.
func weights() []string {
	return []string{
		"NewDevice", "NewRange", "NewCountry", "ImpossibleTravel", "AccountFailures", "AddressAccounts", "CommonPassword", "UserAgentChange",
		"UnusualHour", "DisposableDomain", "ListedAddress",
	}
}

// Of each value of the risk policy the stricter one holds, from whichever side it comes.
func TestStricterRisk(t *testing.T) {
	t.Parallel()
	calm := policy.Set{Risk: policy.Risk{Medium: 50, High: 90, Lists: []iprule.List{"tor"}}}
	for _, field := range weights() {
		keen := calm
		reflect.ValueOf(&keen.Risk).Elem().FieldByName(field).SetInt(7)
		for _, got := range []policy.Risk{calm.Stricter(keen).Risk, keen.Stricter(calm).Risk} {
			if !reflect.DeepEqual(got, keen.Risk) {
				t.Errorf("%s is 7 in one of two: got %+v, want %+v", field, got, keen.Risk)
			}
		}
		if calm.Risk.Idle() == keen.Risk.Idle() {
			t.Errorf("Idle() with a weight of %s = %v, want false, and true without", field, keen.Risk.Idle())
		}
	}
	keen := policy.Set{Risk: policy.Risk{Medium: 20, High: 60, Lists: []iprule.List{"vpn"}, SecondFactor: true, Notice: true}}
	for _, got := range []policy.Risk{calm.Stricter(keen).Risk, keen.Stricter(calm).Risk} {
		slices.Sort(got.Lists)
		want := policy.Risk{Medium: 20, High: 60, Lists: []iprule.List{"tor", "vpn"}, SecondFactor: true, Notice: true}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("Stricter() = %+v, want %+v", got, want)
		}
	}
	if got, want := calm.Risk.Lists, []iprule.List{"tor"}; !slices.Equal(got, want) {
		t.Errorf("Stricter() changed what it joined: got %v, want %v", got, want)
	}
}

func TestLevels(t *testing.T) {
	t.Parallel()
	for levels, want := range map[[2]int]error{{1, 100}: nil, {50, 50}: nil, {51, 50}: policy.ErrLevels} {
		if err := (policy.Risk{Medium: levels[0], High: levels[1]}).Check(); !errors.Is(err, want) {
			t.Errorf("Check() of medium %d, high %d = %v, want %v", levels[0], levels[1], err, want)
		}
	}
	if err := policy.Defaults().Risk.Check(); err != nil {
		t.Errorf("Check() of the defaults = %v, want nil", err)
	}
}

// Impersonation is allowed by both or not at all, for the shorter time.
func TestStricterImpersonation(t *testing.T) {
	t.Parallel()
	of := func(minutes int, consent bool) policy.Set {
		return policy.Set{Session: policy.Session{ImpersonationMinutes: minutes, ImpersonationConsent: consent}}
	}
	for _, c := range []struct{ one, other, want policy.Set }{
		{of(60, false), of(15, false), of(15, false)},
		{of(60, false), of(0, false), of(0, false)},
		{of(60, true), of(60, false), of(60, true)},
	} {
		for _, got := range []policy.Session{c.one.Stricter(c.other).Session, c.other.Stricter(c.one).Session} {
			if got != c.want.Session {
				t.Errorf("Stricter() = %+v, want %+v", got, c.want.Session)
			}
		}
	}
}

// Where domains are listed, an address that was not proved does not count.
func TestMustVerify(t *testing.T) {
	t.Parallel()
	listed := policy.Signup{AllowedDomains: []email.Domain{"example.com"}}
	for _, c := range []struct {
		rules    policy.Signup
		verified bool
		want     bool
	}{{listed, false, true}, {listed, true, false}, {policy.Signup{}, false, false}, {policy.Signup{}, true, false}} {
		if got := c.rules.MustVerify(c.verified); got != c.want {
			t.Errorf("MustVerify(%v) with %d domains = %v, want %v", c.verified, len(c.rules.AllowedDomains), got, c.want)
		}
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	s, l := policy.Session{IdleMinutes: 5, AbsoluteMinutes: 7}, policy.Lockout{WindowMinutes: 2, DurationMinutes: 3}
	for name, c := range map[string]struct{ got, want time.Duration }{
		"Idle": {s.Idle(), 5 * time.Minute}, "Absolute": {s.Absolute(), 7 * time.Minute}, "Window": {l.Window(), 2 * time.Minute}, "Duration": {l.Duration(), 3 * time.Minute},
	} {
		if c.got != c.want {
			t.Errorf("%s() = %v, want %v", name, c.got, c.want)
		}
	}
	now := time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC)
	if got, want := (policy.MFA{RememberDays: 1}).RememberedAfter(now), now.AddDate(0, 0, -1); !got.Equal(want) {
		t.Errorf("RememberedAfter() = %v, want %v", got, want)
	}
}
