package loginevent

import "time"

const (
	// spikeFactor is how many times the usual failures of a minute make a spike.
	spikeFactor = 20
	// quietMinute is the least that counts as usual, so that a quiet instance
	// does not see a spike in a handful of typing errors.
	quietMinute = 5
	// spikeHold is how long the guard stays on after a minute of spike.
	spikeHold = 5 * time.Minute
	// longestSpike is the duration after which a high rate counts as normal.
	longestSpike = longestMinutes * time.Minute
	// longestMinutes is the same in minutes: a day.
	longestMinutes = 24 * 60
	// BaselineMinutes is the number of past minutes of the baseline.
	BaselineMinutes = 60
)

// KeptMinutes is how long the failures of a minute are stored: for the longest spike
// and the baseline, with clock differences.
const KeptMinutes = longestMinutes + 2*BaselineMinutes

// Spike is the state of the guard.
type Spike struct {
	StartedAt time.Time
	Until     time.Time
}

// On reports whether the guard holds at a time.
func (s Spike) On(now time.Time) bool { return now.Before(s.Until) }

// Over reports whether a spike has ended and this is not recorded yet.
func (s Spike) Over(now time.Time) bool { return !s.StartedAt.IsZero() && !s.On(now) }

// Baseline returns the period, in whole minutes, whose failures define the normal rate.
// It ends before the two minutes under test, and during a spike at the spike's start:
// otherwise a wave of a few minutes would soon become normal. A spike of a day does.
func (s Spike) Baseline(now time.Time) (from, to time.Time) {
	end := now
	if s.On(now) && now.Sub(s.StartedAt) < longestSpike {
		end = s.StartedAt
	}
	to = end.Truncate(time.Minute).Add(-time.Minute)
	return to.Add(-BaselineMinutes * time.Minute), to
}

// Usual returns the mean of a minute's failures, from the total of the baseline, but
// never less than a quiet minute's.
func Usual(baselineTotal int) int { return max(quietMinute, baselineTotal/BaselineMinutes) }

// MayBeSpike reports whether the failures of a minute are numerous enough to compare
// with the baseline.
func MayBeSpike(failures int) bool { return failures > spikeFactor*quietMinute }

// Judge returns the guard's next state after one more failure in this minute.
// started reports whether a spike began with it.
func (s Spike) Judge(failures, baselineTotal int, now time.Time) (next Spike, started bool) {
	if failures <= spikeFactor*Usual(baselineTotal) {
		return s, false
	}
	if s.On(now) {
		return Spike{StartedAt: s.StartedAt, Until: now.Add(spikeHold)}, false
	}
	return Spike{StartedAt: now, Until: now.Add(spikeHold)}, true
}
