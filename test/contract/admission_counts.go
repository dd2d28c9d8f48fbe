package contract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/limit"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// Now meddles first.
func (m *meddler) Now() time.Time {
	if meddle := m.meddle; meddle != nil {
		m.meddle = nil
		meddle()
	}
	return m.clock.Now()
}

func perMinute(key string, most int) outbound.LimitCheck {
	return outbound.LimitCheck{Key: key, Rule: limit.Rule{Limit: most, Window: time.Minute}}
}

// admit asks, which must not fail.
func admit(t *testing.T, s *Ports, checks ...outbound.LimitCheck) []limit.Verdict {
	t.Helper()
	answer, err := s.Admission.Admit(t.Context(), outbound.AdmissionAsk{Checks: checks})
	if err != nil {
		t.Fatal(err)
	}
	return answer.Verdicts
}

// used is how many calls a counter holds.
func used(t *testing.T, s *Ports, check outbound.LimitCheck) int {
	t.Helper()
	state, err := s.LimitCounters.State(t.Context(), check.Key)
	if err != nil {
		t.Fatal(err)
	}
	return check.Rule.Peek(state, noon()).Used
}

// Another replica tuned the limits since these were looked up.
func (w *world) admissionOutdated(t *testing.T, c *Ports) {
	check := perMinute("outdated", 2)
	ask := func(revision int64) outbound.AdmissionAnswer {
		answer, err := c.Admission.Admit(t.Context(), outbound.AdmissionAsk{
			Checks: []outbound.LimitCheck{check}, Revision: revision,
		})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	known := ask(0).Revision
	equal(t, "counted without a revision", used(t, c, check), 1)
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.LimitRules.Set(ctx, ops.TunedLimit{Command: "OUT.DATED", By: limit.IP, Rule: check.Rule})
	})
	refused := ask(known)
	equal(t, "verdicts by outdated limits", len(refused.Verdicts), 0)
	equal(t, "counted by outdated limits", used(t, c, check), 1)
	equal(t, "moved", refused.Revision > known, true)
	equal(t, "verdicts by the limits in force", len(ask(refused.Revision).Verdicts), 1)
	equal(t, "counted by the limits in force", used(t, c, check), 2)
}

func (w *world) admissionCounts(t *testing.T, c *Ports) {
	check := perMinute("counts", 2)
	equal(t, "a counter that never counted", used(t, c, check), 0)
	for i, want := range []limit.Verdict{
		{Allowed: true, Used: 1, Remaining: 1, ResetsAt: noon().Add(time.Minute)},
		{Allowed: true, Used: 2, Remaining: 0, ResetsAt: noon().Add(time.Minute)},
		{Allowed: false, Used: 2, Remaining: 0, ResetsAt: noon().Add(time.Minute), RetryAfter: time.Minute},
	} {
		equal(t, fmt.Sprintf("verdict %d", i), admit(t, c, check), []limit.Verdict{want})
	}
	equal(t, "another subject", admit(t, c, perMinute("other subject", 2))[0].Allowed, true)
	w.clock.move(time.Minute)
	defer w.clock.move(-time.Minute)
	equal(t, "the call a window later", admit(t, c, check)[0].Allowed, true)
}

func (w *world) admissionAllOrNone(t *testing.T, c *Ports) {
	wide, narrow := perMinute("wide", 5), perMinute("narrow", 1)
	for i, want := range []bool{true, false, false} {
		verdicts := admit(t, c, wide, narrow)
		equal(t, fmt.Sprintf("call %d: the wide limit, the narrow one", i), []bool{verdicts[0].Allowed, verdicts[1].Allowed}, []bool{true, want})
		equal(t, "the calls that count at the wide limit", verdicts[0].Used, 1)
	}
	equal(t, "the calls that were stored", used(t, c, wide), 1)
	twice := perMinute("twice", 3)
	equal(t, "a call that counts twice", admit(t, c, twice, twice)[1].Used, 2)
	verdicts := admit(t, c, twice, twice)
	equal(t, "a call that finds room for half", []bool{verdicts[0].Allowed, verdicts[1].Allowed}, []bool{true, false})
	equal(t, "what it left behind", used(t, c, twice), 2)
}

// forget clears counters in a transaction.
func (w *world) forget(ctx context.Context, t *testing.T, c *Ports, keys ...string) {
	t.Helper()
	if err := c.Unit.Do(ctx, func(tx Repos) error { return tx.LimitRules.Clear(ctx, keys) }); err != nil {
		t.Error(err)
	}
}

// admissionClear forgets a counter for good.
func (w *world) admissionClear(t *testing.T, c *Ports) {
	check, other := perMinute("cleared", 1), perMinute("not cleared", 1)
	admit(t, c, check, other)
	equal(t, "a full counter", admit(t, c, check)[0].Allowed, false)
	w.forget(t.Context(), t, c)
	equal(t, "a full counter after nothing was cleared", admit(t, c, check)[0].Allowed, false)
	w.forget(t.Context(), t, c, check.Key, "never counted")
	equal(t, "a cleared counter", admit(t, c, check)[0].Allowed, true)
	equal(t, "another counter", admit(t, c, other)[0].Allowed, false)
}

// admissionClearUndone forgets a counter inside a transaction around a command.
func (w *world) admissionClearUndone(t *testing.T, c *Ports) {
	check := perMinute("cleared within", 1)
	admit(t, c, check)
	for _, keep := range []bool{false, true} {
		err := w.store.Within(t.Context(), func(ctx context.Context) bool {
			w.forget(ctx, t, c, check.Key)
			return keep
		})
		is(t, "the transaction", err, nil)
		equal(t, fmt.Sprint("a counter that was cleared, kept ", keep), admit(t, c, check)[0].Allowed, keep)
	}
	errUndone := errors.New("undone")
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		inner := c.Unit.Do(ctx, func(tx Repos) error {
			return errors.Join(tx.LimitRules.Clear(ctx, []string{check.Key}), errUndone)
		})
		is(t, "the unit", inner, errUndone)
		return true
	})
	is(t, "the transaction around it", err, nil)
	equal(t, "a counter that was cleared by what failed", admit(t, c, check)[0].Allowed, false)
}

// admissionRace lets another replica count between the read and the write of one.
func admissionRace(t *testing.T, open Opener) {
	one, other, m := replicas(t, open)
	for _, name := range []string{"new counter", "stored counter"} {
		alone := perMinute(name, 2)
		if name == "stored counter" {
			alone.Rule.Limit = 3
			admit(t, one, alone)
		}
		m.meddle = func() { admit(t, other, alone); admit(t, other, alone) }
		equal(t, name+": the last call", admit(t, one, alone)[0].Allowed, false)

		free, taken := perMinute("free of "+name, 5), perMinute("taken of "+name, 2)
		admit(t, one, taken)
		if name == "stored counter" {
			admit(t, one, free)
		}
		before := used(t, one, free)
		m.meddle = func() { admit(t, other, taken) }
		verdicts := admit(t, one, free, taken)
		equal(t, name+": a call that was overtaken at one of two limits", verdicts[1].Allowed, false)
		equal(t, name+": what it counted at the other", used(t, one, free), before)

		slow := perMinute("slow of "+name, 5)
		m.meddle = func() { admit(t, other, slow) }
		equal(t, name+": a call that was overtaken and passes", admit(t, one, slow, free)[0].Used, 2)
		equal(t, name+": what it counted", used(t, one, free), before+1)
	}
}

// admissionParallel lets two replicas count at once.
func admissionParallel(t *testing.T, open Opener) {
	const calls, most = 100, 10
	one, other, _ := replicas(t, open)
	alone, narrow, wide := perMinute("alone", most), perMinute("narrow", most), perMinute("wide", calls*calls)
	for name, checks := range map[string][]outbound.LimitCheck{"one limit": {alone}, "two limits": {wide, narrow}} {
		var passed atomic.Int64
		var all sync.WaitGroup
		for i := range calls {
			all.Go(func() {
				store := one
				if i%2 == 0 {
					store = other
				}
				answer, err := store.Admission.Admit(t.Context(), outbound.AdmissionAsk{Checks: checks})
				if err != nil {
					t.Error(err)
					return
				}
				for _, v := range answer.Verdicts {
					if !v.Allowed {
						return
					}
				}
				passed.Add(1)
			})
		}
		all.Wait()
		equal(t, name+": the calls that passed", passed.Load(), int64(most))
		for _, check := range checks {
			equal(t, name+": the calls that count at "+check.Key, used(t, one, check), most)
		}
	}
}

// admissionTimeout holds a counter in a transaction that does not end.
func admissionTimeout(t *testing.T, open Opener) {
	const patience = 4 * time.Second
	w := newWorld(t, open)
	check := perMinute("held", 5)
	admit(t, w.store, check)
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := tx.LimitRules.Clear(ctx, []string{check.Key}); err != nil {
			return err
		}
		began := time.Now()
		_, err := w.store.Admission.Admit(ctx, outbound.AdmissionAsk{Checks: []outbound.LimitCheck{check}})
		if took := time.Since(began); err == nil || took > patience {
			t.Errorf("counting in vain gave %v after %v", err, took)
		}
		return nil
	})
	equal(t, "the call after it", admit(t, w.store, check)[0].Allowed, true)
	if err := w.store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.store.Admission.Admit(t.Context(), outbound.AdmissionAsk{}); err == nil {
		t.Error("a store that is gone answered")
	}
}
