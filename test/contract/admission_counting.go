package contract

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"gatehouse.internal/domain/keytext"
	"gatehouse.internal/ports/outbound"
)

// AdmissionCounts checks the limits of outbound.Admission, ops.LimitCounters and
// LimitRules.Clear, also where another replica counts between a read and its write.
func AdmissionCounts(t *testing.T, open Opener) {
	AdmissionCountsLocked(t, open)
	t.Run("loses no call to another replica", func(t *testing.T) { admissionRace(t, open) })
	t.Run("counts at all limits or at none against another replica", func(t *testing.T) { admissionWhole(t, open) })
}

// AdmissionCountsLocked is AdmissionCounts for counters that are locked while one counts.
func AdmissionCountsLocked(t *testing.T, open Opener) {
	w := newWorld(t, open)
	c := w.store
	t.Run("counts", func(t *testing.T) { w.admissionCounts(t, c) })
	t.Run("counts at all limits or at none", func(t *testing.T) { w.admissionAllOrNone(t, c) })
	t.Run("counts nothing by limits of before a change", func(t *testing.T) { w.admissionOutdated(t, c) })
	t.Run("counts what it counted often", func(t *testing.T) { w.admissionOften(t, c) })
	t.Run("refuses one of many", func(t *testing.T) { w.admissionOneOfMany(t, c) })
	t.Run("is exact when two replicas count often", func(t *testing.T) { admissionOftenParallel(t, open) })
	t.Run("counts what is not proven apart", func(t *testing.T) { w.admissionFailed(t, c) })
	t.Run("is exact when two replicas count what is proven and what is not", func(t *testing.T) { admissionFailedParallel(t, open) })
	t.Run("forgets a counter", func(t *testing.T) { w.admissionClear(t, c) })
	t.Run("forgets nothing that is taken back", func(t *testing.T) { w.admissionClearUndone(t, c) })
	t.Run("is exact when two replicas count", func(t *testing.T) { admissionParallel(t, open) })
	t.Run("is exact at limits that cross", func(t *testing.T) { admissionCrossing(t, open) })
}

// meddler is a clock that does something, once, the next time it is asked. Who counts
// asks it between reading counters and writing them.
type meddler struct {
	*clock
	meddle func()
}

// replicas are two on one database; the first one's clock meddles.
func replicas(t *testing.T, open Opener) (one, other *Ports, m *meddler) {
	t.Helper()
	again, c := open(t), Defaults(t)
	w := openWorld(t, again, c)
	m = &meddler{clock: &clock{now: noon()}}
	c.Clock = m
	return openWorld(t, again, c).store, w.store, m
}

// claimant asks in the name of a client, and proves it or does not.
type claimant struct {
	of               *Ports
	slug             string
	revision         int64
	byClient, byBoth outbound.LimitCheck
}

// ask returns whether the call passes.
func (c claimant) ask(t *testing.T, right bool) bool {
	t.Helper()
	answer, err := c.of.Admission.Admit(t.Context(), outbound.AdmissionAsk{
		Client: c.slug, Revision: c.revision, Checks: []outbound.LimitCheck{c.byClient}, Failed: []outbound.LimitCheck{c.byBoth},
		Proven: func(answer outbound.AdmissionAnswer) bool {
			return right && answer.Client != nil && answer.Client.App.Slug == c.slug
		},
	})
	if err != nil {
		t.Error(err)
		return false
	}
	equal(t, "the verdicts", len(answer.Verdicts), 1)
	return answer.Verdicts[0].Allowed
}

func (w *world) claimant(t *testing.T, c *Ports, slug string) claimant {
	t.Helper()
	w.service(t, slug)
	answer, err := c.Admission.Admit(t.Context(), outbound.AdmissionAsk{})
	if err != nil {
		t.Fatal(err)
	}
	return claimant{of: c, slug: slug, revision: answer.Revision, byClient: perMinute(slug, 2*often), byBoth: perMinute(slug+" there", 3)}
}

// admissionFailed asks in a client's name, rightly and wrongly, and by keys that there
// are not.
func (w *world) admissionFailed(t *testing.T, c *Ports) {
	one := w.claimant(t, c, "claimed")
	wrong := func(what string, passes bool) {
		t.Helper()
		before := used(t, c, one.byClient)
		equal(t, what+": that it passes", one.ask(t, false), passes)
		equal(t, what+": what counts by client", used(t, c, one.byClient), before)
	}
	for i := range 3 {
		wrong(fmt.Sprint("wrong call ", i), true)
	}
	wrong("one too many", false)
	for i := range 2 * often {
		equal(t, fmt.Sprint("right call ", i), one.ask(t, true), true)
	}
	equal(t, "one right call too many", one.ask(t, true), false)
	equal(t, "what failed", used(t, c, one.byBoth), 3)
	w.forget(t.Context(), t, c, one.byBoth.Key)
	wrong("after many right ones", true)
	equal(t, "what failed after it was cleared", used(t, c, one.byBoth), 1)

	one.revision = 1 << 40
	w.forget(t.Context(), t, c, one.byBoth.Key, one.byClient.Key)
	nobody := one
	nobody.slug = "no-claimed"
	equal(t, "in nobody's name", nobody.ask(t, true), true)
	equal(t, "what failed in nobody's name", []int{used(t, c, one.byBoth), used(t, c, one.byClient)}, []int{1, 0})

	answer, err := c.Admission.Admit(t.Context(), outbound.AdmissionAsk{
		Key: keytext.Digest("no claimed"), Checks: []outbound.LimitCheck{one.byClient}, Failed: []outbound.LimitCheck{one.byBoth},
	})
	is(t, "a key that there is not", err, nil)
	equal(t, "its verdicts", len(answer.Verdicts), 1)
	equal(t, "what failed by a key", []int{used(t, c, one.byBoth), used(t, c, one.byClient)}, []int{2, 0})
}

// admissionFailedParallel has two replicas asked in one client's name.
func admissionFailedParallel(t *testing.T, open Opener) {
	const callers, each, most = 6, 20, 30
	database := open(t)
	w, second := openWorld(t, database, Defaults(t)), openWorld(t, database, Defaults(t))
	replicas := []*Ports{w.store, second.store}
	one := w.claimant(t, replicas[0], "contested")
	one.byClient.Rule.Limit, one.byBoth.Rule.Limit = most, most
	var all sync.WaitGroup
	var passed [2]atomic.Int64
	for i := range callers {
		mine := one
		mine.of = replicas[i%2]
		all.Go(func() {
			for n := range each {
				kind := (n + i/2) % 2
				if mine.ask(t, kind == 1) {
					passed[kind].Add(1)
				}
			}
		})
	}
	all.Wait()
	equal(t, "the calls that passed", []int64{passed[0].Load(), passed[1].Load()}, []int64{most, most})
	equal(t, "the calls that count", []int{used(t, one.of, one.byBoth), used(t, one.of, one.byClient)}, []int{most, most})
}
