package login

import "time"

const (
	// spikeFactor is how many times the usual failures of a minute make a spike.
	spikeFactor = 20
	// quietMinute is the least that counts as usual, so that a quiet instance
	// does not see a spike in a handful of typing errors.
	quietMinute = 5
	// spikeHold is how long the guard stays on after a minute of spike.
	spikeHold = 5 * time.Minute
	// longestSpike is from when on a spike that goes on counts as usual.
	longestSpike = longestMinutes * time.Minute
	// longestMinutes is the same in minutes: a day.
	longestMinutes = 24 * 60
	// BaselineMinutes is how many past minutes tell what is usual.
	BaselineMinutes = 60
)

// KeptMinutes is for how long the failures of a minute are kept: what is usual is
// looked up as long as a spike may last, and clocks differ.
const KeptMinutes = longestMinutes + 2*BaselineMinutes

// Spike is the state of the guard.
type Spike struct {
	StartedAt time.Time
	Until     time.Time
}

// On reports whether the guard holds at a moment.
func (s Spike) On(now time.Time) bool { return now.Before(s.Until) }

// Over reports whether a spike has ended and nobody took note of it yet.
func (s Spike) Over(now time.Time) bool { return !s.StartedAt.IsZero() && !s.On(now) }

// Baseline returns the stretch of time, in whole minutes, whose failures tell what is
// usual. It ends before the two minutes that are judged, and during a spike where
// that began: else a wave of a few minutes would soon count as usual. One that
// lasts for a day is.
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

// MayBeSpike reports whether a minute's failures are worth comparing with the baseline.
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
