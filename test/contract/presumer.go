package contract

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// Presumer checks outbound.Presumer, for a store that has one.
func Presumer(t *testing.T, open Opener) {
	w := newWorld(t, open)
	if w.store.Presumer == nil {
		return
	}
	t.Run("counts with the token", w.presumerCounts)
	t.Run("counts nothing by limits of before a change", w.presumerOutdated)
	t.Run("counts up to the limit", w.presumerLimit)
	t.Run("knows nothing of a counter that was cleared", w.presumerCleared)
	t.Run("stores no token for an app that changed", w.presumerStale)
	t.Run("yields to another replica", func(t *testing.T) { presumerOvertaken(t, open) })
	t.Run("is exact when two replicas count", func(t *testing.T) { presumerParallel(t, open) })
}

// caller asks for tokens of one app, which counts at some checks.
type caller struct {
	store  *Ports
	of     *app.App
	checks []outbound.LimitCheck
}

func (w *world) caller(t *testing.T, slug string, most int) caller {
	t.Helper()
	return caller{w.store, w.service(t, slug), []outbound.LimitCheck{perMinute(slug+" by client", most), perMinute(slug+" by ip", 1000)}}
}

func (c caller) ask(revision int64) outbound.AdmissionAsk {
	return outbound.AdmissionAsk{Client: c.of.Snapshot().Slug, Checks: c.checks, Revision: revision, Presumable: true}
}

// admit asks the store, and returns the revision and whether the call may go on.
func (c caller) admit(ctx context.Context, t *testing.T) (revision int64, passes bool) {
	t.Helper()
	answer, err := c.store.Admission.Admit(ctx, c.ask(0))
	if err != nil {
		t.Fatal(err)
	}
	passes = true
	for _, v := range answer.Verdicts {
		passes = passes && v.Allowed
	}
	return answer.Revision, passes
}

// warm calls until the calls that follow are presumed, and returns the revision and
// how many calls that took.
func (c caller) warm(t *testing.T) (revision int64, calls int) {
	t.Helper()
	for calls < 10 {
		if _, presumed := c.store.Presumer.Presume(t.Context(), c.ask(revision)); presumed != nil {
			return revision, calls
		}
		revision, _ = c.admit(t.Context(), t)
		calls++
	}
	t.Fatal("no call is ever presumed")
	return 0, 0
}

// begun is a call that was presumed.
type begun struct {
	caller
	outbound.Presumption

	ctx context.Context
}

// presume begins a call that must be presumed.
func (c caller) presume(t *testing.T, revision int64) begun {
	t.Helper()
	ctx, presumed := c.store.Presumer.Presume(t.Context(), c.ask(revision))
	if presumed == nil {
		t.Fatal("the call is not presumed")
	}
	return begun{c, presumed, ctx}
}

// presumedIssue stores a token under the context of a call.
func (w *world) presumedIssue(ctx context.Context, c caller) (m2m.Issued, error) {
	token := w.made(c.of)
	return token, c.store.TokenIssues.Issue(ctx, token, happened(c.of, token))
}

// refuses stores a token that must not be stored, nor its call counted.
func (w *world) refuses(t *testing.T, what string, call begun) {
	t.Helper()
	before := used(t, w.store, call.checks[1])
	token, err := w.presumedIssue(call.ctx, call.caller)
	equal(t, what+": failed", err != nil, true)
	equal(t, what+": counted", call.Counted(), false)
	equal(t, what+": the counter", used(t, w.store, call.checks[1]), before)
	equal(t, what+": stored", w.token(t, token.JTI) != nil, false)
}

func (w *world) presumerCounts(t *testing.T) {
	c := w.caller(t, "presumed", 100)
	revision, calls := c.warm(t)
	call := c.presume(t, revision)
	equal(t, "the client", call.Answer().Client.App.ID, c.of.ID())
	equal(t, "the calls before one is presumed", calls, 5)
	equal(t, "counted at first", used(t, w.store, c.checks[0]), calls)
	token, err := w.presumedIssue(call.ctx, c)
	is(t, "the issue", err, nil)
	equal(t, "the token", w.token(t, token.JTI) != nil, true)
	equal(t, "the events", len(w.toldOf(t.Context(), t, c.of)), 1)
	equal(t, "that it counted", call.Counted(), true)
	_, err = w.presumedIssue(call.ctx, c)
	is(t, "another token of the same call", err, nil)
	for _, check := range c.checks {
		equal(t, "the calls at "+check.Key, used(t, w.store, check), calls+1)
	}
}

func (w *world) presumerOutdated(t *testing.T) {
	c := w.caller(t, "presumed-outdated", 100)
	revision, _ := c.warm(t)
	call := c.presume(t, revision)
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.LimitRules.Set(ctx, ops.TunedLimit{Command: "OUT.DATED", By: limit.IP, Rule: limit.Rule{Limit: 9, Window: time.Minute}})
	})
	w.refuses(t, "by outdated limits", call)
}

func (w *world) presumerLimit(t *testing.T) {
	const room = 3
	c := w.caller(t, "presumed-limit", 100)
	revision, before := c.warm(t)
	c.checks[0].Rule.Limit = before + room
	var calls []begun
	for range 10 * room {
		calls = append(calls, c.presume(t, revision))
	}
	var all sync.WaitGroup
	var counted atomic.Int64
	for _, call := range calls {
		all.Go(func() {
			if _, err := w.presumedIssue(call.ctx, c); (err == nil) != call.Counted() {
				t.Errorf("counted %t with %v", call.Counted(), err)
			}
			if call.Counted() {
				counted.Add(1)
			}
		})
	}
	all.Wait()
	equal(t, "the calls that counted", counted.Load(), int64(room))
	equal(t, "the tokens", len(w.toldOf(t.Context(), t, c.of)), room)
	equal(t, "the counter", used(t, w.store, c.checks[1]), before+room)
	_, more := w.store.Presumer.Presume(t.Context(), c.ask(revision))
	equal(t, "one more is presumed", more != nil, false)
	w.clock.move(time.Minute)
	defer w.clock.move(-time.Minute)
	c.presume(t, revision)
	w.clock.move(time.Minute)
	defer w.clock.move(-time.Minute)
	_, more = w.store.Presumer.Presume(t.Context(), c.ask(revision))
	equal(t, "a call is presumed whose counters may be gone", more != nil, false)
}

func (w *world) presumerCleared(t *testing.T) {
	c := w.caller(t, "presumed-cleared", 100)
	revision, _ := c.warm(t)
	call := c.presume(t, revision)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.LimitRules.Clear(ctx, []string{c.checks[0].Key}) })
	w.refuses(t, "a cleared counter", call)
}

// presumerStale counts the call, whose handler will look the app up again.
func (w *world) presumerStale(t *testing.T) {
	c := w.caller(t, "presumed-stale", 100)
	revision, calls := c.warm(t)
	call := c.presume(t, revision)
	w.changedElsewhere(t, c.of.ID(), func(*app.Snapshot) {})
	token, err := w.presumedIssue(call.ctx, c)
	is(t, "the issue", err, aggregate.ErrConflict)
	equal(t, "stored", w.token(t, token.JTI) != nil, false)
	equal(t, "that it counted", call.Counted(), true)
	equal(t, "the counter", used(t, w.store, c.checks[0]), calls+1)
	found, err := w.store.Clients.BySlug(call.ctx, "presumed-stale", "")
	is(t, "the client", err, nil)
	equal(t, "the version that is presumed next", c.presume(t, revision).Answer().Client.Version, found.Version)
	w.deletedElsewhere(t, c.of.ID())
	_, err = w.store.Clients.BySlug(t.Context(), "presumed-stale", "")
	is(t, "a client that is gone", err, app.ErrNotFound)
	_, presumed := w.store.Presumer.Presume(t.Context(), c.ask(revision))
	equal(t, "that it is presumed", presumed != nil, false)
}

func presumerOvertaken(t *testing.T, open Opener) {
	database := open(t)
	w := openWorld(t, database, Defaults(t))
	other := openWorld(t, database, Defaults(t))
	c := w.caller(t, "presumed-overtaken", 100)
	revision, _ := c.warm(t)
	call := c.presume(t, revision)
	there := c
	there.store = other.store
	there.admit(t.Context(), t)
	w.refuses(t, "overtaken", call)
	_, presumed := w.store.Presumer.Presume(t.Context(), c.ask(revision))
	equal(t, "the next call is presumed", presumed != nil, false)
	for range 5 {
		there.admit(t.Context(), t)
		c.admit(t.Context(), t)
		_, presumed = w.store.Presumer.Presume(t.Context(), c.ask(revision))
		equal(t, "a call that alternates with another replica's is presumed", presumed != nil, false)
	}
	c.warm(t)
}

// presumerParallel has two replicas issue up to a limit, each as it can.
func presumerParallel(t *testing.T, open Opener) {
	const callers, each, most = 8, 12, 60
	database := open(t)
	w := openWorld(t, database, Defaults(t))
	other := openWorld(t, database, Defaults(t))
	c := w.caller(t, "presumed-parallel", most)
	revision, before := c.warm(t)
	var all sync.WaitGroup
	var stored, presumed atomic.Int64
	for i := range callers {
		mine := c
		if i == 0 {
			mine.store = other.store
		}
		all.Go(func() {
			for range each {
				if w.presumes(t, mine, revision) {
					presumed.Add(1)
					stored.Add(1)
				} else if _, passes := mine.admit(t.Context(), t); passes {
					_, err := w.presumedIssue(t.Context(), mine)
					is(t, "the issue of an admitted call", err, nil)
					stored.Add(1)
				}
			}
		})
	}
	all.Wait()
	equal(t, "the tokens", stored.Load(), int64(most-before))
	equal(t, "those that were told", len(w.toldOf(t.Context(), t, c.of)), most-before)
	equal(t, "the counter", used(t, w.store, c.checks[0]), most)
	t.Logf("%d of %d were presumed", presumed.Load(), stored.Load())
}

// presumes reports whether a call came to its token on a presumption.
func (w *world) presumes(t *testing.T, c caller, revision int64) bool {
	ctx, presumed := c.store.Presumer.Presume(t.Context(), c.ask(revision))
	if presumed == nil {
		return false
	}
	if _, err := w.presumedIssue(ctx, c); (err == nil) != presumed.Counted() {
		t.Errorf("counted %t with %v", presumed.Counted(), err)
	}
	return presumed.Counted()
}
