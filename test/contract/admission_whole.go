package contract

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"gatehouse.internal/ports/outbound"
)

// admissionWhole looks at the counters just after a write of several was overtaken
// at one of them, before the call is counted again: nothing of it is there.
func admissionWhole(t *testing.T, open Opener, instead Instead) {
	one, other, m := replicas(t, open, instead)
	for _, name := range []string{"new counters", "stored counters", "one of each"} {
		var checks []outbound.LimitCheck
		for i := range 4 {
			checks = append(checks, perMinute(fmt.Sprintf("%s, %d", name, i), 10))
		}
		switch name {
		case "stored counters":
			admit(t, one, checks...)
		case "one of each":
			admit(t, one, checks[0], checks[3])
		}
		var before, within []int
		for i := range checks { // whichever of the counters it is
			before = counted(t, other, checks)
			before[i]++
			// The clock is asked after the read, and again when the write has failed.
			m.meddle = func() {
				admit(t, other, checks[i])
				m.meddle = func() { within = counted(t, other, checks) }
			}
			verdicts := admit(t, one, checks...)
			equal(t, fmt.Sprintf("%s: counted by a write that was overtaken at %d", name, i), within, before)
			for j, verdict := range verdicts {
				equal(t, fmt.Sprintf("%s: the verdict %d", name, j), verdict.Used, before[j]+1)
			}
			within = nil
		}
	}
}

// counted is how many calls each of some counters holds.
func counted(t *testing.T, s Tally, checks []outbound.LimitCheck) []int {
	t.Helper()
	calls := make([]int, len(checks))
	for i, check := range checks {
		calls[i] = used(t, s, check)
	}
	return calls
}

// admissionCrossing lets two replicas count at pairs of limits that share members:
// in the end each counter holds just the calls that passed and count at it, and no
// limit let more pass than it may.
func admissionCrossing(t *testing.T, open Opener, instead Instead) {
	const calls, limits = 240, 6
	one, other, _ := replicas(t, open, instead)
	checks := make([]outbound.LimitCheck, limits)
	for i := range checks {
		checks[i] = perMinute(fmt.Sprintf("crossing %d", i), 10*(i+1))
	}
	var passed [limits]atomic.Int64
	var all sync.WaitGroup
	for i := range calls {
		first := i % limits
		second := (first + 1 + i/limits%(limits-1)) % limits
		store := one
		if i/2%2 == 0 {
			store = other
		}
		all.Go(func() {
			answer, err := store.Admission().Admit(t.Context(), outbound.AdmissionAsk{
				Checks: []outbound.LimitCheck{checks[first], checks[second]},
			})
			if err != nil {
				t.Error(err)
				return
			}
			if answer.Verdicts[0].Allowed && answer.Verdicts[1].Allowed {
				passed[first].Add(1)
				passed[second].Add(1)
			}
		})
	}
	all.Wait()
	for i, check := range checks {
		calls := int(passed[i].Load())
		equal(t, fmt.Sprintf("limit %d: the calls that count", i), used(t, one, check), calls)
		if calls > check.Rule.Limit {
			t.Errorf("limit %d let %d calls pass", i, calls)
		}
	}
}
