package limit

import "time"

// Verdict is the decision of a rule about a call.
type Verdict struct {
	// Allowed reports whether the call passes; from Peek, whether one would.
	Allowed bool
	// Used is how many calls count at this moment, with the one just admitted. It
	// exceeds the limit where the limit was tuned down.
	Used int
	// Remaining is how many more would pass at this moment.
	Remaining int
	// RetryAfter is the time until a rejected call would be allowed; zero if it is
	// allowed.
	RetryAfter time.Duration
	// ResetsAt is when no call counts any more, in UTC.
	ResetsAt time.Time
}

// Admit judges one call and counts it when it passes. A refused call does not
// count: next is then the state as it was. An absent, unknown or broken state is an
// empty one, and so is one that lies more than a window in the future.
//
// Time is counted in whole microseconds and never runs backwards within a state:
// where now lies before the newest call that counts, that call's time is taken. A
// call of time t leaves the window at exactly t + Window.
func (r Rule) Admit(state []byte, now time.Time) (next []byte, v Verdict) {
	r = r.bounded()
	var t tally
	t.load(state, now.UnixMicro(), r.window())
	if t.used >= int64(r.Limit) {
		return state, r.verdict(&t, now)
	}
	t.add(r.grain())
	v = r.verdict(&t, now)
	v.Allowed, v.RetryAfter = true, 0
	return t.encode(), v
}

// Peek returns the verdict of Admit without counting the call.
func (r Rule) Peek(state []byte, now time.Time) Verdict {
	r = r.bounded()
	var t tally
	t.load(state, now.UnixMicro(), r.window())
	return r.verdict(&t, now)
}

// Expires returns when a state no longer matters under the rule and can be deleted;
// zero for an empty one.
func (r Rule) Expires(state []byte) time.Time {
	var t tally
	if !t.decode(state) {
		return time.Time{}
	}
	return time.UnixMicro(t.newest() + r.bounded().window()).UTC()
}

// verdict describes a tally from which everything that left is gone.
func (r Rule) verdict(t *tally, now time.Time) Verdict {
	v := Verdict{
		Used:      int(t.used),
		Remaining: max(r.Limit-int(t.used), 0),
		ResetsAt:  now.UTC(),
	}
	v.Allowed = v.Remaining > 0
	if t.used > 0 {
		v.ResetsAt = time.UnixMicro(t.newest() + r.window()).UTC()
	}
	if !v.Allowed {
		free := t.freed(t.used - int64(r.Limit) + 1)
		v.RetryAfter = time.UnixMicro(free + r.window()).Sub(now)
	}
	return v
}
