package login_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/login"
)

func TestBaseline(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 10, 30, 20, 0, time.UTC)
	quiet := time.Date(2026, 11, 21, 10, 29, 0, 0, time.UTC)
	tests := []struct {
		name string
		have login.Spike
		to   time.Time
	}{
		{"ends before the minutes that are judged", login.Spike{}, quiet},
		{"a spike that is over does not count", login.Spike{StartedAt: now.Add(-time.Hour), Until: now}, quiet},
		{"ends before a spike that goes on", login.Spike{StartedAt: now.Add(-time.Hour), Until: now.Add(1)}, quiet.Add(-time.Hour)},
		{"a spike of a day is usual", login.Spike{StartedAt: now.Add(-24 * time.Hour), Until: now.Add(1)}, quiet},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			from, to := test.have.Baseline(now)
			if !to.Equal(test.to) || !from.Equal(test.to.Add(-login.BaselineMinutes*time.Minute)) {
				t.Errorf("Baseline() = %v to %v, want an hour to %v", from, to, test.to)
			}
		})
	}
}

func TestOver(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 10, 30, 20, 0, time.UTC)
	tests := []struct {
		name string
		have login.Spike
		over bool
	}{
		{"no spike", login.Spike{}, false},
		{"one that goes on", login.Spike{StartedAt: now.Add(-time.Hour), Until: now.Add(1)}, false},
		{"one whose time has come", login.Spike{StartedAt: now.Add(-time.Hour), Until: now}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := test.have.Over(now); got != test.over {
				t.Errorf("Over() = %v, want %v", got, test.over)
			}
		})
	}
}
