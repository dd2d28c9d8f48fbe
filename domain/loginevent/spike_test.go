package loginevent_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/loginevent"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	on := loginevent.Spike{StartedAt: now.Add(-time.Minute), Until: now.Add(time.Minute)}
	tests := []struct {
		name               string
		have               loginevent.Spike
		failures, baseline int
		on, started        bool
	}{
		{name: "a quiet instance bears a hundred failures", failures: 100},
		{name: "one more is a spike", failures: 101, on: true, started: true},
		{name: "a busy instance has a higher bound", failures: 400, baseline: 20 * 60},
		{name: "twenty times the usual is the bound", failures: 401, baseline: 20 * 60, on: true, started: true},
		{name: "a spike that goes on does not begin again", have: on, failures: 101, on: true},
		{name: "a guard stays on until its time", have: on, failures: 1, on: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, started := test.have.Judge(test.failures, test.baseline, now)
			if got.On(now) != test.on || started != test.started {
				t.Errorf("Judge() = on %v, started %v, want %v, %v", got.On(now), started, test.on, test.started)
			}
			if test.have.On(now) && got.StartedAt != test.have.StartedAt {
				t.Error("a spike that goes on lost its beginning")
			}
		})
	}
}
