package limit_test

import (
	"bytes"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gatehouse.internal/domain/limit"
)

// call is one that was counted, at the time that the state saw.
type call = time.Time

// within counts the calls of (end-window, end].
func within(calls []call, end time.Time, window time.Duration) int {
	n := 0
	for _, c := range calls {
		if c.After(end.Add(-window)) && !c.After(end) {
			n++
		}
	}
	return n
}

// rules draws rules of a few calls, so that they fill, on both sides of exactness.
func rules() *rapid.Generator[limit.Rule] {
	return rapid.Custom(func(t *rapid.T) limit.Rule {
		return limit.Rule{
			Limit:  rapid.OneOf(rapid.IntRange(1, 6), rapid.IntRange(95, 106), rapid.IntRange(101, 400)).Draw(t, "limit"),
			Window: time.Duration(rapid.Int64Range(1_000_000, 90_000_000).Draw(t, "window µs")) * time.Microsecond,
		}
	})
}

// history is a state with the calls that it ought to know.
type history struct {
	now   time.Time // of a clock that may step back
	seen  time.Time // what the state takes for now
	state []byte
	calls []call
}

// move passes some time, mostly less than a window, and now and then goes back.
func (h *history) move(t *rapid.T, window time.Duration) {
	w := window.Microseconds()
	step := rapid.OneOf(
		rapid.Just(int64(0)), rapid.Int64Range(0, w/50), rapid.Int64Range(0, w/4),
		rapid.Just(w), rapid.Int64Range(0, 3*w), rapid.Int64Range(-w/8, 0),
	).Draw(t, "step µs")
	h.now = h.now.Add(time.Duration(step) * time.Microsecond)
	h.seen = h.now
	if n := len(h.calls); n > 0 && h.calls[n-1].After(h.now) {
		h.seen = h.calls[n-1]
	}
}

// admit makes one call and checks what holds for each.
func (h *history) admit(t *rapid.T, r limit.Rule) limit.Verdict {
	peeked := r.Peek(h.state, h.now)
	before := bytes.Clone(h.state)
	next, v := r.Admit(h.state, h.now)
	if !bytes.Equal(before, h.state) {
		t.Fatalf("Admit wrote into the state it was given")
	}
	if peeked.Allowed != v.Allowed {
		t.Fatalf("Peek says %+v, Admit %+v", peeked, v)
	}
	if v.Allowed {
		h.calls = append(h.calls, h.seen)
		peeked.Used++
		peeked.Remaining--
		peeked.ResetsAt = h.seen.Add(r.Window)
	} else {
		h.checkRefusal(t, r, next, v)
	}
	if peeked != v {
		t.Fatalf("Peek foretold %+v, Admit says %+v", peeked, v)
	}
	h.state = next
	return v
}

// checkRefusal reports whether a refusal left all as it was and named the moment from
// which on the next call passes.
func (h *history) checkRefusal(t *rapid.T, r limit.Rule, next []byte, v limit.Verdict) {
	if !bytes.Equal(next, h.state) {
		t.Fatalf("a refused call changed the state")
	}
	passes := h.now.Add(v.RetryAfter)
	if r.Peek(h.state, passes.Add(-time.Microsecond)).Allowed {
		t.Fatalf("a call passes before RetryAfter: %+v", v)
	}
	if !r.Peek(h.state, passes).Allowed {
		t.Fatalf("no call passes at RetryAfter: %+v", v)
	}
}

func TestNoWindowAdmitsMore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		r := rules().Draw(t, "rule")
		grain := (r.Window + 59) / 60
		if r.Limit <= 100 {
			grain = 0
		}
		h := history{now: at(0)}
		for range rapid.IntRange(1, 40).Draw(t, "moves") {
			h.move(t, r.Window)
			for range rapid.IntRange(1, r.Limit/2+2).Draw(t, "burst") {
				mayHold := within(h.calls, h.seen, r.Window+grain) // what a refusal can be for
				v := h.admit(t, r)
				if held := within(h.calls, h.seen, r.Window); held > r.Limit {
					t.Fatalf("the window to %v admitted %d, limit %d", h.seen, held, r.Limit)
				}
				if !v.Allowed && mayHold < r.Limit {
					t.Fatalf("refused with %d of %d calls in the window and a grain", mayHold, r.Limit)
				}
			}
		}
	})
}

// forget drops the calls that had left under a rule in force: nobody can keep them
// for a longer window.
func (h *history) forget(window time.Duration) {
	kept := h.calls[:0]
	for _, c := range h.calls {
		if c.Add(window).After(h.seen) {
			kept = append(kept, c)
		}
	}
	h.calls = kept
}

func TestTuningNeverAdmitsBeyondTheNewRule(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := history{now: at(0)}
		for range rapid.IntRange(2, 30).Draw(t, "tunings") {
			r := rules().Draw(t, "rule")
			h.move(t, r.Window)
			if h.seen.Sub(h.now) > r.Window { // too far ahead for this window: discarded
				h.calls, h.seen = nil, h.now
			}
			for range rapid.IntRange(1, r.Limit/2+2).Draw(t, "burst") {
				held := within(h.calls, h.seen, r.Window)
				if v := h.admit(t, r); v.Allowed {
					h.forget(r.Window)
					if held >= r.Limit {
						t.Fatalf("admitted with %d of %d in the window", held, r.Limit)
					}
				}
			}
		}
	})
}

// FuzzState feeds states of any origin to any rule at any time.
func FuzzState(f *testing.F) {
	var few, many []byte
	for i := range 300 {
		few, _ = limit.Rule{Limit: 20, Window: time.Minute}.Admit(few, at(time.Duration(i)*time.Second))
		many, _ = limit.Rule{Limit: 600, Window: time.Hour}.Admit(many, at(time.Duration(i)*17*time.Second))
	}
	for _, state := range [][]byte{nil, {0x71}, few, many, few[:len(few)-1], append(bytes.Clone(many), 0)} {
		f.Add(state, 20, int64(time.Minute), at(time.Hour).UnixMicro())
		f.Add(state, 600, int64(24*time.Hour), at(0).UnixMicro())
	}
	f.Fuzz(func(t *testing.T, state []byte, n int, window, micros int64) {
		r := limit.Rule{Limit: n, Window: time.Duration(window)}
		now := time.UnixMicro(micros % (1 << 59)).UTC()
		before := bytes.Clone(state)
		peeked := r.Peek(state, now)
		next, v := r.Admit(state, now)
		if !bytes.Equal(before, state) {
			t.Fatal("Admit wrote into the state it was given")
		}
		if peeked.Allowed != v.Allowed || v.Remaining < 0 || v.Used < 0 {
			t.Fatalf("Peek says %+v, Admit %+v", peeked, v)
		}
		r.Expires(state)
		if !v.Allowed {
			if !bytes.Equal(next, state) || v.RetryAfter <= 0 || !r.Peek(state, now.Add(v.RetryAfter)).Allowed {
				t.Fatalf("a wrong refusal: %+v", v)
			}
			return
		}
		if len(next) > 460 {
			t.Fatalf("the state takes %d bytes", len(next))
		}
		if again := r.Peek(next, now); again.Used != v.Used || again.Used != peeked.Used+1 {
			t.Fatalf("Admit says %+v, Peek %+v before and %+v after", v, peeked, again)
		}
	})
}

func TestForeignStatesAreEmpty(t *testing.T) {
	t.Parallel()
	r := limit.Rule{Limit: 5, Window: time.Minute}
	good := spend(t, r, spend(t, r, nil, at(0), 2), at(time.Second), 1)
	one, _ := r.Admit(nil, at(0)) // its last byte holds one bit, of the counts
	change := func(i int, b byte) []byte {
		state := bytes.Clone(good)
		state[i] = b
		return state
	}
	leaps := make([]byte, 754) // with numbers of 256 bits, the last of which begins with the last bit
	for i := len(leaps) - 1; i >= 0; i -= 32 {
		leaps[i] = 0x80
	}
	tests := map[string][]byte{
		"cut":              good[:len(good)-1],
		"longer":           append(bytes.Clone(good), 0),
		"counts' padding":  append(bytes.Clone(one[:14]), one[14]|0x80),
		"gaps' padding":    change(len(good)-1, good[len(good)-1]|0x80),
		"split behind end": change(13, 1),
		"split elsewhere":  change(12, 2),
		"another version":  change(0, 1),
		"time out of hand": change(8, 0x7f),
		"no group":         change(9, 0),
		"too many groups":  change(9, 101),
		"more groups":      change(9, 30),
		"fewer groups":     change(9, 1),
		"wide gaps":        change(10, 200),
		"wide counts":      change(11, 200),
		"text":             []byte(`{"count": 17, "since": "yesterday"}`),
		"too many calls":   append(append(bytes.Clone(one[:11]), 37, 5, 0), 0xff, 0xff, 0xff, 0xff, 0x3f),
		"too far apart":    append(append(bytes.Clone(one[:9]), 2, 37, 0, 1, 0), 3, 0xff, 0xff, 0xff, 0xff, 0x3f),
		"gaps leap out":    append(append(bytes.Clone(one[:9]), 3, 255, 0, 0xf1, 2), leaps...),
		"counts leap out":  append(append(bytes.Clone(one[:9]), 30, 0, 255, 0xf2, 2), leaps...),
		"long, far split":  append(append(bytes.Clone(one[:9]), 2, 0, 0, 0, 0x10), bytes.Repeat([]byte{0xff}, 5000)...),
		"long":             bytes.Repeat([]byte{0x71}, 5000),
	}
	for name, state := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next, v := r.Admit(state, at(2*time.Second))
			if want := (limit.Verdict{Allowed: true, Used: 1, Remaining: 4, ResetsAt: at(62 * time.Second)}); v != want {
				t.Errorf("Admit = %+v, want %+v", v, want)
			}
			if got := r.Peek(next, at(2*time.Second)); got.Used != 1 {
				t.Errorf("the state begun anew holds %d calls, want 1", got.Used)
			}
			if got := r.Expires(state); !got.IsZero() {
				t.Errorf("Expires = %v, want the zero time", got)
			}
		})
	}
}

func TestEveryCutAndFlippedBitIsSurvived(t *testing.T) {
	t.Parallel()
	r := limit.Rule{Limit: 300, Window: time.Minute}
	var state []byte
	for i := range 200 {
		state = spend(t, r, state, at(time.Duration(i)*250*time.Millisecond), 1)
	}
	now := at(50 * time.Second)
	for i := range state {
		if v := r.Peek(state[:i], now); v.Used != 0 {
			t.Fatalf("cut to %d bytes it counts %d calls", i, v.Used)
		}
	}
	for i := range len(state) * 8 {
		broken := bytes.Clone(state)
		broken[i/8] ^= 1 << (i % 8)
		if _, v := r.Admit(broken, now); !v.Allowed && v.RetryAfter <= 0 {
			t.Fatalf("bit %d flipped: %+v", i, v)
		}
	}
}
