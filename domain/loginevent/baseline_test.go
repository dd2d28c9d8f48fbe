package loginevent_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/loginevent"
)

func TestBaseline(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 10, 30, 20, 0, time.UTC)
	quiet := time.Date(2026, 11, 21, 10, 29, 0, 0, time.UTC)
	tests := []struct {
		name string
		have loginevent.Spike
		to   time.Time
	}{
		{"ends before the minutes that are judged", loginevent.Spike{}, quiet},
		{"a spike that is over does not count", loginevent.Spike{StartedAt: now.Add(-time.Hour), Until: now}, quiet},
		{"ends before a spike that goes on", loginevent.Spike{StartedAt: now.Add(-time.Hour), Until: now.Add(1)}, quiet.Add(-time.Hour)},
		{"a spike of a day is usual", loginevent.Spike{StartedAt: now.Add(-24 * time.Hour), Until: now.Add(1)}, quiet},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			from, to := test.have.Baseline(now)
			if !to.Equal(test.to) || !from.Equal(test.to.Add(-loginevent.BaselineMinutes*time.Minute)) {
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
		have loginevent.Spike
		over bool
	}{
		{"no spike", loginevent.Spike{}, false},
		{"one that goes on", loginevent.Spike{StartedAt: now.Add(-time.Hour), Until: now.Add(1)}, false},
		{"one whose time has come", loginevent.Spike{StartedAt: now.Add(-time.Hour), Until: now}, true},
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
