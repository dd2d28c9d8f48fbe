package contract

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/limit"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// Pending checks outbound.Pending, for a store that answers admissions from memory.
func Pending(t *testing.T, open Opener) {
	w := newWorld(t, open)
	if !w.store.Recalls {
		return
	}
	t.Run("counts with the token", w.pendingCounts)
	t.Run("counts nothing by limits of before a change", w.pendingOutdated)
	t.Run("counts up to the limit", w.pendingLimit)
	t.Run("knows nothing of a counter that was cleared", w.pendingCleared)
	t.Run("stores no token for an app that changed", w.pendingStale)
	t.Run("is no answer to other questions", w.pendingNever)
	t.Run("is admitted by itself where no token is stored", w.pendingSettled)
	t.Run("yields to another replica", func(t *testing.T) { pendingOvertaken(t, open) })
	t.Run("is exact when two replicas count", func(t *testing.T) { pendingParallel(t, open) })
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
	return outbound.AdmissionAsk{
		Client: c.of.Snapshot().Slug, Wants: &outbound.TokenRequest{}, Checks: c.checks, Revision: revision,
		Proven: func(answer outbound.AdmissionAnswer) bool { return answer.Client != nil },
	}
}

var errOverLimit = errors.New("over the limit")

// call is one call of a client.
type call struct {
	caller
	outbound.AdmissionAnswer

	ctx context.Context
	// again is how often it was admitted again.
	again *atomic.Int64
}

// begin asks the store for a call; it fails with errOverLimit.
func (c caller) begin(ctx context.Context, t *testing.T, revision int64) (call, error) {
	t.Helper()
	begun, ask := call{caller: c, ctx: ctx, again: new(atomic.Int64)}, c.ask(revision)
	ask.Again = func(ctx context.Context) (outbound.AdmissionAnswer, error) {
		begun.again.Add(1)
		return c.admitted(ctx, c.ask(0))
	}
	var err error
	if begun.AdmissionAnswer, err = c.admitted(ctx, ask); begun.Pending != nil {
		begun.ctx = begun.Pending.Under(ctx)
	}
	if err != nil && !errors.Is(err, errOverLimit) {
		t.Fatal(err)
	}
	return begun, err
}

func (c caller) admitted(ctx context.Context, ask outbound.AdmissionAsk) (outbound.AdmissionAnswer, error) {
	answer, err := c.store.Admission.Admit(ctx, ask)
	for _, v := range answer.Verdicts {
		if !v.Allowed {
			err = errOverLimit
		}
	}
	return answer, err
}

// warm calls until calls are answered from memory; it returns the revision and how many
// calls that took.
func (c caller) warm(t *testing.T) (revision int64, calls int) {
	t.Helper()
	for calls < 10 {
		begun, err := c.begin(t.Context(), t, revision)
		is(t, "a call", err, nil)
		if revision = begun.Revision; begun.Pending != nil {
			return revision, calls
		}
		calls++
	}
	t.Fatal("no call is ever answered from memory")
	return 0, 0
}

// recalls begins a call that must be answered from memory.
func (c caller) recalls(t *testing.T, revision int64) call {
	t.Helper()
	begun, err := c.begin(t.Context(), t, revision)
	is(t, "the call", err, nil)
	if begun.Pending == nil || !begun.Client.Recalled {
		t.Fatal("the call is not answered from memory")
	}
	return begun
}

// asks begins a call that must be admitted, and not from memory.
func (c caller) asks(t *testing.T, what string, revision int64) {
	t.Helper()
	begun, err := c.begin(t.Context(), t, revision)
	is(t, what, err, nil)
	equal(t, what+": from memory", begun.Pending != nil, false)
}

// issueOnce stores a token under the context of a call.
func (w *world) issueOnce(one call, decidedBy ...flow.Run) (m2m.Issued, error) {
	token := w.made(one.of)
	return token, one.store.TokenIssues.Issue(one.ctx, token, decidedBy, happened(one.of, token))
}

// refuses stores a token that must not be stored, nor its call counted before it is
// admitted again.
func (w *world) refuses(t *testing.T, what string, one call) {
	t.Helper()
	before := used(t, w.store, one.checks[1])
	token, err := w.issueOnce(one)
	is(t, what, err, aggregate.ErrConflict)
	equal(t, what+": the counter", used(t, w.store, one.checks[1]), before)
	equal(t, what+": stored", w.token(t, token.JTI) != nil, false)
	found, err := one.store.Clients.BySlug(one.ctx, one.of.Snapshot().Slug, "")
	is(t, what+": the client", err, nil)
	equal(t, what+": from memory", found.Recalled, false)
	equal(t, what+": the counter after another look", used(t, w.store, one.checks[1]), before+1)
	token, err = w.issueOnce(one)
	is(t, what+": another token", err, nil)
	equal(t, what+": stored at last", w.token(t, token.JTI) != nil, true)
	is(t, what+": at the end", one.Pending.Admit(one.ctx), nil)
	equal(t, what+": how often it was counted", used(t, w.store, one.checks[1]), before+1)
}

func (w *world) pendingCounts(t *testing.T) {
	c := w.caller(t, "pending", 100)
	revision, calls := c.warm(t)
	one := c.recalls(t, revision)
	equal(t, "the client", one.Client.App.ID, c.of.ID())
	equal(t, "the calls before one is answered from memory", calls, 3)
	equal(t, "counted at first", used(t, w.store, c.checks[0]), calls)
	run := w.flowRun(w.drawn(t, c.of.Org(), "decides"), flow.Allow)
	token, err := w.issueOnce(one, run)
	is(t, "the issue", err, nil)
	equal(t, "the token", w.token(t, token.JTI) != nil, true)
	_, err = w.store.FlowRunDirectory.Find(t.Context(), []workspace.ID{run.OrgID}, run.ID)
	is(t, "the run of a flow", err, nil)
	equal(t, "the events", len(w.eventsOf(t.Context(), t, c.of)), 1)
	_, err = w.issueOnce(one)
	is(t, "another token of the same call", err, nil)
	_, err = c.store.Clients.BySlug(one.ctx, "pending", "")
	is(t, "the client once more", err, nil)
	is(t, "the end of the call", one.Pending.Admit(one.ctx), nil)
	equal(t, "that it was admitted again", one.again.Load(), int64(0))
	for _, check := range c.checks {
		equal(t, "the calls at "+check.Key, used(t, w.store, check), calls+1)
	}
}

func (w *world) pendingOutdated(t *testing.T) {
	c := w.caller(t, "pending-outdated", 100)
	revision, _ := c.warm(t)
	one := c.recalls(t, revision)
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.LimitRules.Set(ctx, ops.TunedLimit{Command: "OUT.DATED", By: limit.IP, Rule: limit.Rule{Limit: 9, Window: time.Minute}})
	})
	w.refuses(t, "by outdated limits", one)
}

func (w *world) pendingLimit(t *testing.T) {
	const room = 3
	c := w.caller(t, "pending-limit", 100)
	revision, before := c.warm(t)
	c.checks[0].Rule.Limit = before + room
	var calls []call
	for range 10 * room {
		calls = append(calls, c.recalls(t, revision))
	}
	var all sync.WaitGroup
	var stored, refused atomic.Int64
	for _, one := range calls {
		all.Go(func() {
			_, err := w.issueOnce(one)
			if err == nil {
				stored.Add(1)
			}
			if errors.Is(one.Pending.Admit(one.ctx), errOverLimit) {
				refused.Add(1)
			}
			if err := one.Pending.Admit(one.ctx); err != nil {
				t.Errorf("the end once more: %v", err)
			}
		})
	}
	all.Wait()
	equal(t, "the calls that stored", stored.Load(), int64(room))
	equal(t, "those that were refused", refused.Load(), int64(9*room))
	equal(t, "the tokens", len(w.eventsOf(t.Context(), t, c.of)), room)
	equal(t, "the counter", used(t, w.store, c.checks[1]), before+room)
	over, err := c.begin(t.Context(), t, revision)
	is(t, "one more", err, errOverLimit)
	equal(t, "one more: from memory", over.Pending != nil, false)
	w.clock.move(time.Minute)
	defer w.clock.move(-time.Minute)
	c.recalls(t, revision)
	w.clock.move(time.Minute)
	defer w.clock.move(-time.Minute)
	c.asks(t, "a call whose counters may be gone", revision)
}

func (w *world) pendingCleared(t *testing.T) {
	c := w.caller(t, "pending-cleared", 100)
	revision, _ := c.warm(t)
	one := c.recalls(t, revision)
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.LimitRules.Clear(ctx, []string{c.checks[0].Key, c.checks[1].Key})
	})
	w.refuses(t, "a cleared counter", one)
}

// pendingStale counts the call, whose handler will look the app up again.
func (w *world) pendingStale(t *testing.T) {
	c := w.caller(t, "pending-stale", 100)
	revision, calls := c.warm(t)
	one := c.recalls(t, revision)
	w.changedElsewhere(t, c.of.ID(), func(*app.Snapshot) {})
	token, err := w.issueOnce(one)
	is(t, "the issue", err, aggregate.ErrConflict)
	equal(t, "stored", w.token(t, token.JTI) != nil, false)
	equal(t, "the counter", used(t, w.store, c.checks[0]), calls+1)
	found, err := w.store.Clients.BySlug(one.ctx, "pending-stale", "")
	is(t, "the client", err, nil)
	equal(t, "that it was admitted again", one.again.Load(), int64(0))
	equal(t, "the version that is remembered next", c.recalls(t, revision).Client.Version, found.Version)
	w.deletedElsewhere(t, c.of.ID())
	_, err = w.store.Clients.BySlug(t.Context(), "pending-stale", "")
	is(t, "a client that is gone", err, app.ErrNotFound)
	c.asks(t, "a call of who is gone", revision)
}

// pendingNever asks questions whose answers no token would count.
func (w *world) pendingNever(t *testing.T) {
	c := w.caller(t, "pending-never", 100)
	revision, _ := c.warm(t)
	for name, change := range map[string]func(*outbound.AdmissionAsk){
		"once and for all": func(ask *outbound.AdmissionAsk) { ask.Again = nil },
		"for no token":     func(ask *outbound.AdmissionAsk) { ask.Wants = nil },
		"for another audience": func(ask *outbound.AdmissionAsk) {
			ask.Wants = &outbound.TokenRequest{Audience: "https://never.example.com"}
		},
		"of another client":     func(ask *outbound.AdmissionAsk) { ask.Client = "pending-other" },
		"with a wrong secret":   func(ask *outbound.AdmissionAsk) { ask.Proven = func(outbound.AdmissionAnswer) bool { return false } },
		"to be proven later":    func(ask *outbound.AdmissionAsk) { ask.Proven = nil },
		"at no limit":           func(ask *outbound.AdmissionAsk) { ask.Checks = nil },
		"by limits of any time": func(ask *outbound.AdmissionAsk) { ask.Revision = 0 },
	} {
		ask := c.ask(revision)
		ask.Again = func(ctx context.Context) (outbound.AdmissionAnswer, error) { return c.admitted(ctx, c.ask(0)) }
		change(&ask)
		answer, err := c.admitted(t.Context(), ask)
		is(t, name, err, nil)
		equal(t, name+": from memory", answer.Pending != nil, false)
	}
	c.recalls(t, revision)
}

// pendingSettled ends calls that store nothing: each is counted, or refused.
func (w *world) pendingSettled(t *testing.T) {
	c := w.caller(t, "pending-admitted", 7)
	revision, calls := c.warm(t)
	for calls < 7 {
		is(t, "the end of a call", c.recalls(t, revision).Pending.Admit(t.Context()), nil)
		calls++
		equal(t, "the counter", used(t, w.store, c.checks[0]), calls)
	}
}

func pendingOvertaken(t *testing.T, open Opener) {
	database := open(t)
	w := openWorld(t, database, Defaults(t))
	other := openWorld(t, database, Defaults(t))
	c := w.caller(t, "pending-overtaken", 100)
	revision, _ := c.warm(t)
	one := c.recalls(t, revision)
	there := c
	there.store = other.store
	there.asks(t, "a call of the other", 0)
	w.refuses(t, "overtaken", one)
	for range 5 {
		there.asks(t, "a call of the other", revision)
		c.asks(t, "a call that alternates with another replica's", revision)
	}
	c.warm(t)
}

// pendingParallel has two replicas issue up to a limit, each as it can.
func pendingParallel(t *testing.T, open Opener) {
	const callers, each, most = 8, 12, 60
	database := open(t)
	w := openWorld(t, database, Defaults(t))
	other := openWorld(t, database, Defaults(t))
	c := w.caller(t, "pending-parallel", most)
	revision, before := c.warm(t)
	var all sync.WaitGroup
	var stored, recalled atomic.Int64
	for i := range callers {
		mine := c
		if i == 0 {
			mine.store = other.store
		}
		all.Go(func() {
			for range each {
				one, err := mine.begin(t.Context(), t, revision)
				if err == nil {
					err = w.issues(one)
				}
				if err == nil {
					stored.Add(1)
				} else if !errors.Is(err, errOverLimit) {
					t.Error(err)
				}
				if one.Pending != nil && one.again.Load() == 0 {
					recalled.Add(1)
				}
			}
		})
	}
	all.Wait()
	equal(t, "the tokens", stored.Load(), int64(most-before))
	equal(t, "those that were told", len(w.eventsOf(t.Context(), t, c.of)), most-before)
	equal(t, "the counter", used(t, w.store, c.checks[0]), most)
	t.Logf("%d of %d were answered from memory", recalled.Load(), stored.Load())
}

// issues stores the token of a call as a handler does.
func (w *world) issues(one call) error {
	_, err := w.issueOnce(one)
	if !errors.Is(err, aggregate.ErrConflict) {
		return err
	}
	if _, err = one.store.Clients.BySlug(one.ctx, one.of.Snapshot().Slug, ""); err == nil {
		_, err = w.issueOnce(one)
	}
	return err
}
