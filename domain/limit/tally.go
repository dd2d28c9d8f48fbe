package limit

const (
	// exactLimit is the largest limit that keeps every call apart.
	exactLimit = 100
	// grains is into how many parts a window is split above it.
	grains = 60
	// maxGroups is the most that a state holds: one per call of an exact rule. A
	// split window needs grains+1, because it rarely begins where a grain does.
	maxGroups = exactLimit
)

// group is a number of calls, with the time of the newest in microseconds since the
// Unix epoch. It leaves the window as a whole.
type group struct {
	at, calls int64
}

// tally is a state in the open: groups[first:end], oldest first, no two at one
// time.
type tally struct {
	groups     [maxGroups + 1]group
	first, end int
	used       int64 // calls in all groups
	clock      int64 // now, but never before the newest group
}

// load reads a state as it counts at a time under a window, both in microseconds.
func (t *tally) load(state []byte, now, window int64) {
	t.clock = now
	if !t.decode(state) {
		return
	}
	if t.newest() > now+window {
		t.first, t.end, t.used = 0, 0, 0
		return
	}
	t.clock = max(now, t.newest())
	for t.first < t.end && t.groups[t.first].at+window <= t.clock {
		t.used -= t.groups[t.first].calls
		t.first++
	}
}

// newest returns the time of the newest call; the tally must not be empty.
func (t *tally) newest() int64 { return t.groups[t.end-1].at }

// add counts one call at the tally's clock, in the newest group if that is of the
// same grain.
func (t *tally) add(grain int64) {
	t.used++
	if t.end > t.first && t.newest()/grain == t.clock/grain {
		last := &t.groups[t.end-1]
		last.at = t.clock
		last.calls++
		return
	}
	t.groups[t.end] = group{at: t.clock, calls: 1}
	t.end++
	if grain > 1 && t.end-t.first > grains+1 {
		t.merge(grain)
	}
}

// merge joins neighbors of the same grain: a list of single calls becomes counts.
func (t *tally) merge(grain int64) {
	last := t.first
	for _, g := range t.groups[t.first+1 : t.end] {
		if t.groups[last].at/grain == g.at/grain {
			t.groups[last].at = g.at
			t.groups[last].calls += g.calls
			continue
		}
		last++
		t.groups[last] = g
	}
	t.end = last + 1
}

// freed returns the time of the group with which the n oldest calls have gone, where
// n is at most used.
func (t *tally) freed(n int64) int64 {
	i := t.first
	for n -= t.groups[i].calls; n > 0; n -= t.groups[i].calls {
		i++
	}
	return t.groups[i].at
}
