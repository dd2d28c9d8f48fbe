package limit_test

import (
	"testing"
	"time"

	"gatehouse.internal/domain/limit"
)

// full returns a state that holds one call less than the rule admits, evenly spread,
// and the moment after.
func full(r limit.Rule) (state []byte, now time.Time) {
	calls := min(r.Limit-1, 6000)
	now = at(0)
	for range calls {
		state, _ = r.Admit(state, now)
		now = now.Add(r.Window / time.Duration(calls+1))
	}
	return state, now
}

func BenchmarkAdmit(b *testing.B) {
	for name, r := range map[string]limit.Rule{
		"login=10-a-minute":     {Limit: 10, Window: time.Minute},
		"exact=100-a-day":       {Limit: 100, Window: 24 * time.Hour},
		"session=20-a-minute":   {Limit: 20, Window: time.Minute},
		"overall=600-a-minute":  {Limit: 600, Window: time.Minute},
		"refresh=6000-a-minute": {Limit: 6000, Window: time.Minute},
	} {
		state, now := full(r)
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.ReportMetric(float64(len(state)), "state-bytes")
			for b.Loop() {
				r.Admit(state, now)
			}
		})
	}
	b.Run("first", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			perMinute(600).Admit(nil, at(0))
		}
	})
}

func BenchmarkPeek(b *testing.B) {
	r := limit.Rule{Limit: 600, Window: time.Minute}
	state, now := full(r)
	b.ReportAllocs()
	for b.Loop() {
		r.Peek(state, now)
	}
}
