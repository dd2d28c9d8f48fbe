// Package guess limits guesses of short secrets: mailed codes, and passwords that
// confirm a session. Wrong guesses are counted by subject, and lead to pauses during
// which no guess is checked.
package guess

import (
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/policy"
)

// Rule is how wrong ones count.
type Rule struct {
	// Free is how many wrong ones within the window bring the first pause; each one more
	// brings one twice as long.
	Free           int
	Window         time.Duration
	First, Longest time.Duration
}

// pause follows the wrong one that is the nth within the window.
func (r Rule) pause(nth int) time.Duration {
	if nth < r.Free {
		return 0
	}
	pause := r.First
	for ; nth > r.Free && pause < r.Longest; nth-- {
		pause *= 2
	}
	return min(pause, r.Longest)
}

// LoginCodes returns the rule for login codes. A pause applies to an address, whether
// it has an account or not, but not to passwords, passkeys or mailed links, so that
// causing one locks nobody out.
func LoginCodes() Rule {
	return Rule{Free: 5, Window: time.Hour, First: time.Minute, Longest: 15 * time.Minute}
}

// Within returns the rule for passwords within a session: those that would lock the account
// at the front door make the session wait as long.
func Within(limits policy.Lockout) Rule {
	return Rule{Free: limits.MaxFailures, Window: limits.Window(), First: limits.Duration(), Longest: limits.Duration()}
}

// Snapshot is the stored state.
type Snapshot struct {
	Subject string
	// Misses are the times of wrong ones that count.
	Misses []time.Time
	// Until is the end of the pause.
	Until time.Time
	// ExpiresAt is when nothing of it counts any more.
	ExpiresAt time.Time
}

// Count is the number of wrong guesses of a subject.
type Count struct {
	aggregate.Root
	s Snapshot
}

// None returns the count of a subject of which nothing was guessed.
func None(subject string) *Count { return &Count{s: Snapshot{Subject: subject}} }

// Restore returns the count that was stored.
func Restore(s Snapshot, version int64) *Count { return &Count{Root: aggregate.At(version), s: s} }

// Snapshot returns the state to store.
func (c *Count) Snapshot() Snapshot { return c.s }

// Paused fails with RATE_LIMITED while nothing is looked at.
func (c *Count) Paused(now time.Time) error {
	left := c.s.Until.Sub(now)
	if left <= 0 {
		return nil
	}
	refusal := fault.New(fault.RateLimited, "too many failed attempts: try again later, or use another method")
	refusal.RetryAfter = left
	return refusal
}

// Miss counts a wrong one, and reports whether a pause begins.
func (c *Count) Miss(rule Rule, now time.Time) bool {
	counting := []time.Time{}
	for _, at := range c.s.Misses {
		if now.Sub(at) < rule.Window {
			counting = append(counting, at)
		}
	}
	c.s.Misses = append(counting, now)
	pause := rule.pause(len(c.s.Misses))
	if pause > 0 {
		c.s.Until = now.Add(pause)
	}
	c.s.ExpiresAt = now.Add(max(pause, rule.Window))
	return pause > 0
}

// Counting reports whether there is anything to forget.
func (c *Count) Counting() bool { return len(c.s.Misses) > 0 }

// Forget ends the count, after a right one.
func (c *Count) Forget() { c.s.Misses, c.s.Until = nil, time.Time{} }
