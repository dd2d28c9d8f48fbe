package guess_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/guess"
)

func noon() time.Time { return time.Date(2026, time.November, 23, 12, 0, 0, 0, time.UTC) }

// left is how long a count pauses.
func left(c *guess.Count, now time.Time) time.Duration {
	err := c.Paused(now)
	if err == nil {
		return 0
	}
	return fault.From(err).RetryAfter
}

func TestPausesGrow(t *testing.T) {
	t.Parallel()
	c, now := guess.None("s"), noon()
	for i, minutes := range []time.Duration{0, 0, 0, 0, 1, 2, 4, 8, 15, 15, 15} {
		if began := c.Miss(guess.LoginCodes(), now); began != (minutes > 0) || left(c, now) != minutes*time.Minute {
			t.Errorf("miss %d pauses %v, want %d minutes", i+1, left(c, now), minutes)
		}
		now = now.Add(minutes * time.Minute)
		if left(c, now) != 0 {
			t.Errorf("pause %d outlasts its end", i+1)
		}
	}
}

// A replica whose clock is behind sees no pause where none began.
func TestClocksDiffer(t *testing.T) {
	t.Parallel()
	c := guess.None("s")
	c.Miss(guess.LoginCodes(), noon())
	if got := left(c, noon().Add(-time.Second)); got != 0 {
		t.Errorf("the first miss pauses %v", got)
	}
}

func TestMissesExpire(t *testing.T) {
	t.Parallel()
	c, rule := guess.None("s"), guess.LoginCodes()
	for range 4 {
		c.Miss(rule, noon())
	}
	if c.Miss(rule, noon().Add(time.Hour)) || len(c.Snapshot().Misses) != 1 {
		t.Error("misses count for longer than an hour")
	}
	if at := c.Snapshot().ExpiresAt; !at.Equal(noon().Add(2 * time.Hour)) {
		t.Errorf("it is kept until %v", at)
	}
	for range 4 {
		c.Miss(rule, noon().Add(time.Hour))
	}
	if left(c, noon().Add(time.Hour)) != time.Minute || !c.Counting() {
		t.Error("five misses within the hour bring no pause")
	}
	c.Forget()
	if left(c, noon().Add(time.Hour)) != 0 || c.Counting() || c.Miss(rule, noon().Add(time.Hour)) {
		t.Error("misses count after a right one")
	}
}

// A rule whose pause is as long as its window begins anew after it.
func TestOnePause(t *testing.T) {
	t.Parallel()
	rule := guess.Rule{Free: 3, Window: time.Minute, First: time.Minute, Longest: time.Minute}
	c, now := guess.None("s"), noon()
	for i := range 9 {
		if began := c.Miss(rule, now); began != (i%3 == 2) {
			t.Errorf("miss %d begins a pause: %v", i+1, began)
		}
		now = now.Add(left(c, now))
	}
}
