package license_test

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/license"
)

// A lease is renewed while it is held without an event, and once it has run out it is acquired anew; no
// renewal shortens it.
func TestLeases(t *testing.T) {
	t.Parallel()
	of := license.Snapshot{ID: "lic_1"}
	for name, c := range map[string]struct {
		after   time.Duration
		minutes int
		want    time.Duration
		told    int
	}{
		"at once":        {0, 60, time.Hour, 0},
		"longer":         {30 * time.Minute, 60, 90 * time.Minute, 0},
		"shorter":        {30 * time.Minute, 5, time.Hour, 0},
		"just in time":   {time.Hour - 1, 60, 2*time.Hour - 1, 0},
		"once it is out": {time.Hour, 60, 2 * time.Hour, 1},
	} {
		l := license.Acquire(of, license.LeaseSnapshot{ID: "lse_1", Minutes: 60}, noon())
		if got := len(l.Stored()); got != 1 {
			t.Errorf("%s: got %d events of a new lease, want 1", name, got)
		}
		now := noon().Add(c.after)
		l.Renew(of, c.minutes, now)
		s := l.Snapshot()
		if got, want := s.EndsAt, noon().Add(c.want); !got.Equal(want) || !s.Held(want.Add(-1)) || s.Held(want) {
			t.Errorf("%s: got until %v, want %v and no longer", name, got, want)
		}
		if got := len(l.Stored()); got != c.told {
			t.Errorf("%s: got %d events, want %d", name, got, c.told)
		}
		if got := s.AcquiredAt.Equal(now); got != (c.told == 1 || c.after == 0) {
			t.Errorf("%s: acquired at %v, want anew: %v", name, s.AcquiredAt, c.told == 1)
		}
	}
}

// A machine keeps its place while it gives signs of life, and for good where none are asked for.
func TestHeartbeats(t *testing.T) {
	t.Parallel()
	beating := license.Snapshot{ID: "lic_1", Terms: license.Terms{HeartbeatMinutes: 60}}
	for name, c := range map[string]struct {
		terms int
		after time.Duration
		want  time.Duration // until when the place is taken; 0 for good
		told  int
	}{
		"in time":              {60, 30 * time.Minute, 90 * time.Minute, 0},
		"at the last moment":   {60, time.Hour - 1, 2*time.Hour - 1, 0},
		"too late":             {60, time.Hour, 2 * time.Hour, 1},
		"with shorter terms":   {5, 30 * time.Minute, time.Hour, 0},
		"without terms by now": {0, 30 * time.Minute, 0, 0},
	} {
		m, err := license.Activate(beating, license.MachineSnapshot{ID: "mch_1"}, noon())
		if err != nil || len(m.Stored()) != 1 {
			t.Fatalf("%s: Activate() = %v, want an event and no error", name, err)
		}
		of := beating
		of.Terms.HeartbeatMinutes = c.terms
		m.Beat(of, noon().Add(c.after))
		s := m.Snapshot()
		var until time.Time
		if c.want > 0 {
			until = noon().Add(c.want)
		}
		if !s.LapsesAt.Equal(until) || s.Alive(noon().Add(2*time.Hour)) != until.IsZero() {
			t.Errorf("%s: got taken until %v, want %v", name, s.LapsesAt, until)
		}
		if got := len(m.Stored()); got != c.told {
			t.Errorf("%s: got %d events, want %d", name, got, c.told)
		}
	}
}

// A seat is given where the license holds, names its seats and has one left, to one holder.
func TestAssign(t *testing.T) {
	t.Parallel()
	two := license.Terms{Seats: 2}
	for name, c := range map[string]struct {
		license license.Snapshot
		taken   int
		want    error
	}{
		"the last":    {license.Snapshot{Terms: two}, 1, nil},
		"beyond it":   {license.Snapshot{Terms: two}, 2, license.ErrSeats},
		"suspended":   {license.Snapshot{Terms: two, Status: license.Suspended}, 0, nil},
		"revoked":     {license.Snapshot{Terms: two, Status: license.Revoked}, 0, license.ErrRevoked},
		"floating":    {license.Snapshot{Terms: license.Terms{Seats: 2, Floating: true}}, 0, license.ErrFloating},
		"of anything": {license.Snapshot{Terms: license.Terms{Overage: license.AnyOverage}}, license.MostSeats, license.ErrSeats},
	} {
		if _, err := license.Assign(c.license, license.SeatSnapshot{}, c.taken, noon()); !errors.Is(err, c.want) {
			t.Errorf("%s: Assign() = %v, want %v", name, err, c.want)
		}
	}
	address, err := email.Parse("ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		holder license.Holder
		want   error
	}{
		"a person":   {license.Holder{UserID: "usr_1"}, nil},
		"an address": {license.Holder{Email: address}, nil},
		"both":       {license.Holder{UserID: "usr_1", Email: address}, license.ErrSeatTwice},
		"nobody":     {license.Holder{}, license.ErrSeatTwice},
	} {
		if err := c.holder.Check(); !errors.Is(err, c.want) {
			t.Errorf("%s: Check() = %v, want %v", name, err, c.want)
		}
	}
}

// A meter that denies stops at its limit, any other one counts on; the limit is passed once in a period.
func TestCount(t *testing.T) {
	t.Parallel()
	deny, allow := license.Meter{Limit: 10, OnLimit: license.Deny}, license.Meter{Limit: 10, OnLimit: license.Allow}
	for name, c := range map[string]struct {
		meter    license.Meter
		used     int64
		exceeded bool
		amount   int64
		code     license.Code
		passed   bool
		after    int64
	}{
		"below":             {deny, 0, false, 9, license.Valid, false, 9},
		"to the limit":      {deny, 0, false, 10, license.Valid, false, 10},
		"beyond":            {deny, 0, false, 11, license.MeterExceeded, true, 0},
		"beyond again":      {deny, 10, true, 1, license.MeterExceeded, false, 10},
		"beyond, allowed":   {allow, 9, false, 2, license.Valid, true, 11},
		"further, allowed":  {allow, 11, true, 5, license.Valid, false, 16},
		"as far as numbers": {allow, 1<<53 - 1, true, 5, license.Valid, false, 1 << 53},
	} {
		u := license.Usage{Used: c.used, Exceeded: c.exceeded}
		code, passed := u.Count(c.meter, c.amount)
		if code != c.code || passed != c.passed || u.Used != c.after {
			t.Errorf("%s: Count(%d) = %s, %v and %d used, want %s, %v and %d", name, c.amount, code, passed, u.Used, c.code, c.passed, c.after)
		}
	}
	for used, want := range map[int64]struct {
		left  int64
		spent bool
	}{0: {10, false}, 9: {1, false}, 10: {0, true}, 11: {0, true}} {
		if deny.Left(used) != want.left || deny.Spent(used) != want.spent || allow.Spent(used) {
			t.Errorf("after %d uses: got %d left, spent %v (allowed: %v), want %d, %v (false)", used, deny.Left(used), deny.Spent(used), allow.Spent(used), want.left, want.spent)
		}
	}
}

// Uses of another period, or of another meter, spend nothing.
func TestSpent(t *testing.T) {
	t.Parallel()
	terms := license.Terms{Meters: map[string]license.Meter{"calls": {Limit: 10, Period: license.Monthly, OnLimit: license.Deny}}}
	for name, c := range map[string]struct {
		used license.Usage
		want bool
	}{
		"of this month":    {license.Usage{Meter: "calls", Period: "2026-03", Used: 10}, true},
		"some are left":    {license.Usage{Meter: "calls", Period: "2026-03", Used: 9}, false},
		"of another month": {license.Usage{Meter: "calls", Period: "2026-02", Used: 10}, false},
		"of another meter": {license.Usage{Meter: "seats", Period: "2026-03", Used: 10}, false},
	} {
		if got := terms.Spent([]license.Usage{c.used}, noon()); got != c.want {
			t.Errorf("%s: Spent() = %v, want %v", name, got, c.want)
		}
	}
	late := time.Date(2026, time.November, 30, 23, 30, 0, 0, time.FixedZone("", -3600))
	if got, want := license.Labels(late), [3]string{"2026-12-01", "2026-12", ""}; got != want {
		t.Errorf("Labels() = %q, want %q, in UTC", got, want)
	}
	if got := license.Lifetime.PurgeAt(noon()); !got.IsZero() {
		t.Errorf("PurgeAt() of the life of a license = %v, want never", got)
	}
	if got, want := license.Daily.PurgeAt(noon()), noon().AddDate(0, 0, 40); !got.Equal(want) {
		t.Errorf("PurgeAt() of a day = %v, want %v", got, want)
	}
}

// A transfer is known for as long as it counts, and as long as the machine that was left has a file.
func TestTransfers(t *testing.T) {
	t.Parallel()
	year := noon().Add(license.TransferYear)
	for file, want := range map[time.Time]time.Time{{}: year, noon(): year, year.Add(time.Hour): year.Add(time.Hour)} {
		if got := (license.Transfer{MovedAt: noon(), FileUntil: file}).PurgeAt(); !got.Equal(want) {
			t.Errorf("PurgeAt() with a file until %v = %v, want %v", file, got, want)
		}
	}
	for moved, want := range map[int]bool{0: true, 1: true, 2: false, 3: false} {
		if got := (license.Terms{TransfersPerYear: 2}).MayMove(moved); got != want {
			t.Errorf("MayMove() after %d of 2 = %v, want %v", moved, got, want)
		}
	}
}
