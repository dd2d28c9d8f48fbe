package limit_test

import (
	"bytes"
	"testing"
	"time"

	"gatehouse.internal/domain/limit"
)

// at is a moment some time after the tests' epoch, which no grain begins at.
func at(d time.Duration) time.Time {
	return time.Date(2026, 3, 1, 12, 0, 0, 123457000, time.UTC).Add(d)
}

// spend admits n calls at one moment, all of which must pass.
func spend(t *testing.T, r limit.Rule, state []byte, now time.Time, n int) []byte {
	t.Helper()
	for i := range n {
		var v limit.Verdict
		if state, v = r.Admit(state, now); !v.Allowed {
			t.Fatalf("call %d of %d at %v is refused: %+v", i+1, n, now, v)
		}
	}
	return state
}

func TestAdmitCountsAndRefuses(t *testing.T) {
	t.Parallel()
	r := limit.Rule{Limit: 3, Window: time.Minute}
	steps := []struct {
		at   time.Duration
		want limit.Verdict
	}{
		{0, limit.Verdict{Allowed: true, Used: 1, Remaining: 2, ResetsAt: at(60 * time.Second)}},
		{10 * time.Second, limit.Verdict{Allowed: true, Used: 2, Remaining: 1, ResetsAt: at(70 * time.Second)}},
		{10 * time.Second, limit.Verdict{Allowed: true, Used: 3, Remaining: 0, ResetsAt: at(70 * time.Second)}},
		{20 * time.Second, limit.Verdict{Used: 3, RetryAfter: 40 * time.Second, ResetsAt: at(70 * time.Second)}},
		{60*time.Second - 1000, limit.Verdict{Used: 3, RetryAfter: 1000, ResetsAt: at(70 * time.Second)}},
		{60 * time.Second, limit.Verdict{Allowed: true, Used: 3, ResetsAt: at(120 * time.Second)}},
		{60 * time.Second, limit.Verdict{Used: 3, RetryAfter: 10 * time.Second, ResetsAt: at(120 * time.Second)}},
		{70 * time.Second, limit.Verdict{Allowed: true, Used: 2, Remaining: 1, ResetsAt: at(130 * time.Second)}},
		{300 * time.Second, limit.Verdict{Allowed: true, Used: 1, Remaining: 2, ResetsAt: at(360 * time.Second)}},
	}
	var state []byte
	for i, step := range steps {
		var got limit.Verdict
		before := state
		state, got = r.Admit(state, at(step.at))
		if got != step.want {
			t.Errorf("step %d: Admit = %+v, want %+v", i, got, step.want)
		}
		if !got.Allowed && !bytes.Equal(before, state) {
			t.Errorf("step %d: a refused call changed the state", i)
		}
		if want := got.ResetsAt; !r.Expires(state).Equal(want) {
			t.Errorf("step %d: Expires = %v, want %v", i, r.Expires(state), want)
		}
	}
}

func TestPeekOfNothing(t *testing.T) {
	t.Parallel()
	r := limit.Rule{Limit: 3, Window: time.Minute}
	want := limit.Verdict{Allowed: true, Remaining: 3, ResetsAt: at(0)}
	if got := r.Peek(nil, at(0)); got != want {
		t.Errorf("Peek(nil) = %+v, want %+v", got, want)
	}
	if got := r.Expires(nil); !got.IsZero() {
		t.Errorf("Expires(nil) = %v, want the zero time", got)
	}
}

func TestTimeDoesNotRunBackwards(t *testing.T) {
	t.Parallel()
	for name, n := range map[string]int{"exact": 4, "counter": 200} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := limit.Rule{Limit: n, Window: time.Minute}
			state := spend(t, r, nil, at(0), n/2)
			state = spend(t, r, state, at(-20*time.Second), n/2)
			want := limit.Verdict{Used: n, RetryAfter: 80 * time.Second, ResetsAt: at(60 * time.Second)}
			if got := r.Peek(state, at(-20*time.Second)); got != want {
				t.Errorf("Peek = %+v, want %+v: a late clock must count at the newest call's time", got, want)
			}
			if got := r.Peek(state, at(-60*time.Second)); got.Used != n {
				t.Errorf("a state one window ahead holds %d calls, want %d", got.Used, n)
			}
			if got := r.Peek(state, at(-60*time.Second-1000)); got.Used != 0 || !got.Allowed {
				t.Errorf("a state more than one window ahead counts: %+v", got)
			}
			if state = spend(t, r, state, at(-90*time.Second), n); r.Peek(state, at(-90*time.Second)).Allowed {
				t.Error("a state begun anew does not count")
			}
		})
	}
}

func TestCounterRefusesUntilItsOldestGrainHasLeft(t *testing.T) {
	t.Parallel()
	r := limit.Rule{Limit: 600, Window: time.Minute}
	begin := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	state := spend(t, r, nil, begin, 300)
	state = spend(t, r, state, begin.Add(700*time.Millisecond), 100)
	state = spend(t, r, state, begin.Add(30*time.Second), 200)
	now := begin.Add(40 * time.Second)
	if got := r.Peek(state, now); got.Allowed || got.RetryAfter != 20700*time.Millisecond {
		t.Errorf("Peek = %+v, want the first second's calls to leave together 20.7 s later", got)
	}
	if got := r.Peek(state, begin.Add(60700*time.Millisecond)); got.Used != 200 {
		t.Errorf("Used = %d after the first grain has left, want 200", got.Used)
	}
}

func TestTuning(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		old, tuned limit.Rule
		calls      int // under the old rule, one a second
		used       int
		retry      time.Duration // counted from the last call
	}{
		"limit halved":          {perMinute(10), perMinute(5), 8, 8, 56 * time.Second},
		"limit doubled":         {perMinute(10), perMinute(20), 10, 10, 0},
		"exact to counter":      {perMinute(50), perMinute(101), 50, 50, 0},
		"counter to exact":      {perMinute(200), perMinute(20), 30, 30, 41 * time.Second},
		"counter to exact, few": {perMinute(200), perMinute(20), 19, 19, 0},
		"window longer":         {perMinute(10), limit.Rule{Limit: 10, Window: time.Hour}, 10, 10, 3591 * time.Second},
		"window shorter":        {perMinute(20), limit.Rule{Limit: 5, Window: 5 * time.Second}, 20, 5, time.Second},
		"counter, longer":       {perMinute(200), limit.Rule{Limit: 150, Window: time.Hour}, 150, 60, 0},
		"counter, shorter":      {perMinute(200), limit.Rule{Limit: 101, Window: 6 * time.Second}, 60, 6, 0},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var state []byte
			for i := range tt.calls {
				state = spend(t, tt.old, state, at(time.Duration(i)*time.Second), 1)
			}
			now := at(time.Duration(tt.calls-1) * time.Second)
			got := tt.tuned.Peek(state, now)
			if got.Used != tt.used || got.RetryAfter != tt.retry || got.Allowed != (tt.retry == 0) {
				t.Errorf("Peek = %+v, want %d used and %v to wait", got, tt.used, tt.retry)
			}
			if want := max(tt.tuned.Limit-tt.used, 0); got.Remaining != want {
				t.Errorf("%d remain, want %d", got.Remaining, want)
			}
		})
	}
}

func perMinute(n int) limit.Rule { return limit.PerMinute(limit.IP, n).Rule }

func TestTuningThereAndBackForgetsNothing(t *testing.T) {
	t.Parallel()
	large, small := perMinute(600), perMinute(60)
	state := spend(t, large, nil, at(0), 30)
	state = spend(t, small, state, at(time.Second), 30)
	if got := small.Peek(state, at(2*time.Second)); got.Allowed {
		t.Errorf("the small rule admits more than 60: %+v", got)
	}
	state = spend(t, large, state, at(3*time.Second), 540)
	if got := large.Peek(state, at(3*time.Second)); got.Allowed || got.Used != 600 {
		t.Errorf("the large rule lost calls: %+v", got)
	}
}

// TestSingleCallsBecomeCounts tunes a full exact rule to a counter: one more call
// makes more groups than a counter keeps.
func TestSingleCallsBecomeCounts(t *testing.T) {
	t.Parallel()
	came := func(i int) time.Duration { // two at once, in a grain with an earlier one
		if i > 1 {
			i--
		}
		return time.Duration(i) * 550 * time.Millisecond
	}
	var state []byte
	for i := range 100 {
		state = spend(t, perMinute(100), state, at(came(i)), 1)
	}
	single := len(state)
	counter := perMinute(200)
	state = spend(t, counter, state, at(55*time.Second), 1)
	if got := counter.Peek(state, at(55*time.Second)); got.Used != 101 {
		t.Errorf("Used = %d, want 101", got.Used)
	}
	if len(state) > single*3/4 {
		t.Errorf("%d bytes after %d: the calls are still single", len(state), single)
	}
	for i := range 100 { // call i leaves after itself, at most a grain later
		left := at(time.Minute + came(i))
		if got := counter.Peek(state, left.Add(-time.Microsecond)); got.Used < 101-i {
			t.Errorf("Used = %d before call %d leaves, want at least %d", got.Used, i, 101-i)
		}
		if got := counter.Peek(state, left.Add(time.Second)); got.Used > 100-i {
			t.Errorf("Used = %d a grain after call %d, want at most %d", got.Used, i, 100-i)
		}
	}
}

// TestHundredIsExact has two calls within a sixtieth of the window, which a counter
// would let go together.
func TestHundredIsExact(t *testing.T) {
	t.Parallel()
	r := perMinute(100)
	state := spend(t, r, nil, at(0), 1)
	state = spend(t, r, state, at(time.Millisecond), 99)
	if got := r.Peek(state, at(time.Second)); got.RetryAfter != 59*time.Second {
		t.Errorf("Peek = %+v, want 59 s to wait", got)
	}
	if got := r.Peek(state, at(time.Minute)); got.Used != 99 {
		t.Errorf("Used = %d when the first has left, want 99", got.Used)
	}
}

// TestUnevenGaps has one gap of nearly a window among the smallest, at each place.
func TestUnevenGaps(t *testing.T) {
	t.Parallel()
	for _, window := range []time.Duration{time.Second, time.Minute, 24 * time.Hour} {
		for gap := range 99 {
			r := limit.Rule{Limit: 100, Window: window}
			var state []byte
			times := make([]time.Time, 100)
			for i := range times {
				times[i] = at(time.Duration(i) * time.Microsecond)
				if i > gap {
					times[i] = times[i].Add(window - 500*time.Microsecond)
				}
				state = spend(t, r, state, times[i], 1)
			}
			for i, c := range times {
				if got := r.Peek(state, c.Add(window-time.Microsecond)); got.Used != 100-i {
					t.Fatalf("window %v, gap %d: Used = %d before call %d leaves", window, gap, got.Used, i)
				}
			}
		}
	}
}

func TestStateIsSmall(t *testing.T) {
	t.Parallel()
	day := 24 * time.Hour
	tests := map[string]struct {
		rule  limit.Rule
		calls int
		every time.Duration
		most  int // bytes
	}{
		"one call":               {perMinute(10), 1, 0, 16},
		"login":                  {perMinute(10), 10, 6 * time.Second, 50},
		"overall, steady":        {perMinute(600), 600, 100 * time.Millisecond, 220},
		"exact, a day":           {limit.Rule{Limit: 100, Window: day}, 100, day/100 - 1000, 430},
		"counter, a day, steady": {limit.Rule{Limit: 1_000_000_000, Window: day}, 6000, day / 6000, 320},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var state []byte
			for i := range tt.calls {
				state = spend(t, tt.rule, state, at(time.Duration(i)*tt.every), 1)
			}
			t.Logf("%d bytes", len(state))
			if len(state) > tt.most {
				t.Errorf("the state takes %d bytes, want at most %d", len(state), tt.most)
			}
		})
	}
}

func TestAllocations(t *testing.T) {
	now := at(0)
	state, _ := perMinute(600).Admit(nil, now)
	if n := testing.AllocsPerRun(100, func() { perMinute(600).Admit(state, now) }); n != 1 {
		t.Errorf("an admitted call allocates %v times, want once: the next state", n)
	}
	full, _ := perMinute(1).Admit(nil, now)
	if n := testing.AllocsPerRun(100, func() { perMinute(1).Admit(full, now) }); n != 0 {
		t.Errorf("a refused call allocates %v times, want none", n)
	}
}
