package contract

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// often is how many calls in a row make any store rely on its memory of their counters.
const often = 8

// known asks at a revision, and returns what the checks say.
func known(ctx context.Context, t *testing.T, s *Ports, revision int64, checks ...outbound.LimitCheck) []limit.Verdict {
	t.Helper()
	answer, err := s.Admission.Admit(ctx, outbound.AdmissionAsk{Checks: checks, Revision: revision})
	if err != nil {
		t.Error(err)
	}
	return answer.Verdicts
}

// admissionOften calls with two checks until one of them refuses, and goes on when
// the counters were cleared, outdated, or have expired.
func (w *world) admissionOften(t *testing.T, c *Ports) {
	narrow, wide := perMinute("often narrow", 2*often), perMinute("often wide", 100)
	answer, err := c.Admission.Admit(t.Context(), outbound.AdmissionAsk{})
	if err != nil {
		t.Fatal(err)
	}
	revision, total := answer.Revision, 0
	call := func(what string, want bool) {
		t.Helper()
		verdicts := known(t.Context(), t, c, revision, narrow, wide)
		equal(t, what+": the verdicts", len(verdicts), 2)
		equal(t, what, verdicts[0].Allowed, want)
		if want {
			total++
		}
		equal(t, what+": used", []int{verdicts[0].Used, verdicts[1].Used}, []int{used(t, c, narrow), total})
		equal(t, what+": counted", used(t, c, wide), total)
	}
	for i := range narrow.Rule.Limit {
		call(fmt.Sprintf("call %d", i), true)
	}
	call("one more", false)
	call("another", false)
	equal(t, "the wait", known(t.Context(), t, c, revision, narrow)[0].RetryAfter, time.Minute)
	w.forget(t.Context(), t, c, narrow.Key)
	for i := range often {
		call(fmt.Sprintf("call %d after it was cleared", i), true)
	}
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.LimitRules.Set(ctx, ops.TunedLimit{Command: "OF.TEN", By: limit.IP, Rule: narrow.Rule})
	})
	equal(t, "verdicts by outdated limits", len(known(t.Context(), t, c, revision, narrow, wide)), 0)
	equal(t, "counted by outdated limits", used(t, c, wide), total)
	revision++
	call("by the limits in force", true)
	w.clock.move(2 * time.Minute)
	defer w.clock.move(-2 * time.Minute)
	equal(t, "used after all have expired", known(t.Context(), t, c, revision, narrow, wide)[1].Used, 1)
}

// admissionOftenParallel has two replicas count at counters that one of them knows,
// which share one of them with counters that nobody knows.
func admissionOftenParallel(t *testing.T, open Opener) {
	const callers, each, most = 6, 20, 80
	one, other, _ := replicas(t, open)
	shared := perMinute("often shared", most)
	answer, err := one.Admission.Admit(t.Context(), outbound.AdmissionAsk{})
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var passed atomic.Int64
	for i := range callers {
		store := one
		if i == 0 {
			store = other
		}
		all.Go(func() {
			own := perMinute(fmt.Sprintf("often own %d", i), 1000)
			for range each {
				verdicts := known(t.Context(), t, store, answer.Revision, own, shared)
				if len(verdicts) != 2 {
					t.Error("a call was not judged")
				} else if verdicts[1].Allowed {
					passed.Add(1)
				}
			}
		})
	}
	all.Wait()
	equal(t, "the calls that passed", passed.Load(), int64(most))
	equal(t, "the calls that count", used(t, one, shared), most)
}

// admissionOneOfMany has somebody call in vain among others who may.
func (w *world) admissionOneOfMany(t *testing.T, c *Ports) {
	const callers = 8
	answer, err := c.Admission.Admit(t.Context(), outbound.AdmissionAsk{})
	if err != nil {
		t.Fatal(err)
	}
	own := make([]outbound.LimitCheck, callers)
	for i := range own {
		own[i] = perMinute(fmt.Sprintf("one of many %d", i), 1000)
		for range often {
			known(t.Context(), t, c, answer.Revision, own[i])
		}
	}
	own[0].Rule.Limit = often
	var all sync.WaitGroup
	for i, check := range own {
		all.Go(func() {
			for range 3 * often {
				if verdicts := known(t.Context(), t, c, answer.Revision, check); len(verdicts) != 1 || verdicts[0].Allowed != (i > 0) {
					t.Errorf("caller %d: %v", i, verdicts)
				}
			}
		})
	}
	all.Wait()
}

// admissionWhole looks at the counters just after a write of several was overtaken
// at one of them, before the call is counted again: nothing of it is there.
func admissionWhole(t *testing.T, open Opener) {
	one, other, m := replicas(t, open)
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
func counted(t *testing.T, s *Ports, checks []outbound.LimitCheck) []int {
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
func admissionCrossing(t *testing.T, open Opener) {
	const calls, limits = 240, 6
	one, other, _ := replicas(t, open)
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
			answer, err := store.Admission.Admit(t.Context(), outbound.AdmissionAsk{
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
