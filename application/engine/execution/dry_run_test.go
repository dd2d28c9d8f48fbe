package execution_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/application/engine/command"
	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/domain/wait"
	"gatehouse.internal/test/harness"
)

const dryRunAnswer = `{"value":"run 1","secret":"","dry_run":{"events":["settings.updated"],"counts":{"settings.updated":1}}}`

func TestDryRunsLeaveNothing(t *testing.T) {
	t.Parallel()
	c := newCounted(t, harness.New(t))
	alice := c.SignUp("alice@example.com")
	before := len(c.Events(""))
	c.do(ask{who: alice, dryRun: true}).is(dryRunAnswer)
	if after := len(c.Events("")); after != before {
		t.Errorf("%d events stayed", after-before)
	}
	c.do(ask{who: alice}).is(`{"value":"run 2","secret":"secret 2"}`)
	if c.recorded() != 1 {
		t.Errorf("%d events of the real call", c.recorded())
	}
}

// A dry run answers as the real one would, also where that fails, and leaves
// nothing then either.
func TestDryRunsFailAlike(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fail func() error
		want fault.Code
	}{
		"refusal": {func() error { return fault.New(fault.NotFound, "none") }, fault.NotFound},
		"error":   {func() error { return errors.New("the disk is full") }, fault.Internal},
		"panic":   {func() error { panic("x") }, fault.Internal},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newCounted(t, harness.New(t))
			alice := l.SignUp("alice@example.com")
			l.fail = c.fail
			l.do(ask{who: alice, dryRun: true}).fails(c.want)
			l.fail = func() error { return nil }
			if l.recorded() != 0 {
				t.Error("an effect stayed")
			}
			l.do(ask{who: alice}).ok() // the transaction is over
		})
	}
}

func TestDryRunsAreRefused(t *testing.T) {
	t.Parallel()
	outside := writes(echo)
	outside.Name, outside.Effect = "LAB.OUTSIDE", command.Outside
	l := newLab(t, outside, reads("LAB.READ", access.User()), writes(echo))
	alice := l.SignUp("alice@example.com")
	for _, name := range []string{"LAB.OUTSIDE", "LAB.READ"} {
		refused := l.do(ask{command: name, who: alice, dryRun: true}).fails(fault.Validation).Failure
		if len(refused.Fields) != 1 || refused.Fields[0].Path != "/dry_run" {
			t.Errorf("%s: fields = %v", name, refused.Fields)
		}
		l.do(ask{command: name, who: alice}).ok()
	}
	l.do(ask{dryRun: true}).fails(fault.Auth)
}

// Without an event and without a member the answer is an object all the same.
func TestDryRunOfAnEmptyResult(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	empty := command.Define(command.Spec[params, struct{}]{
		Name: "LAB.WRITE", Summary: "Nothing.", Access: access.Public(), Effect: command.Writes,
		Handle: func(context.Context, command.Call, params) (struct{}, error) { return struct{}{}, nil },
	})
	registry, err := command.NewRegistry([]command.Definition{empty}, nil)
	if err != nil {
		t.Fatal(err)
	}
	l.engine.Registry = registry
	l.do(ask{dryRun: true}).is(`{"dry_run":{"events":[],"counts":{}}}`)
	l.do(ask{}).is(`{}`)
}

// A dry run under a key is answered again, without secrets, and is no answer to
// the real call.
func TestDryRunUnderAKey(t *testing.T) {
	t.Parallel()
	c := newCounted(t, harness.New(t))
	alice := c.SignUp("alice@example.com")
	c.do(ask{who: alice, dryRun: true, key: "k"}).is(dryRunAnswer).replayed(false)
	c.do(ask{who: alice, dryRun: true, key: "k"}).is(dryRunAnswer).replayed(true)
	c.do(ask{who: alice, key: "k"}).fails(fault.Validation)
	if c.runs.Load() != 1 || c.recorded() != 0 {
		t.Errorf("%d runs, %d events", c.runs.Load(), c.recorded())
	}
}

// Calls count whether or not they are dry runs: else a dry run evades limits.
func TestDryRunsCount(t *testing.T) {
	t.Parallel()
	limited := writes(echo)
	limited.Limits = perMinute("token", 2)
	l := newLab(t, limited)
	alice := l.SignUp("alice@example.com")
	l.do(ask{who: alice, dryRun: true}).ok()
	l.do(ask{who: alice, dryRun: true}).ok()
	l.do(ask{who: alice, dryRun: true}).fails(fault.RateLimited)
	l.do(ask{who: alice}).fails(fault.RateLimited)
}

// A wrong guess counts also in a dry run; a right one leaves nothing.
func TestDryRunsCountGuesses(t *testing.T) {
	t.Parallel()
	for want, fail := range map[fault.Code]func() error{
		"":             func() error { return nil },
		fault.Auth:     func() error { return fault.New(fault.Auth, "wrong") },
		fault.Internal: func() error { return errors.New("the disk is full") },
	} {
		t.Run(string(want), func(t *testing.T) {
			t.Parallel()
			c := &counted{fail: fail}
			guarded := writes(c.handle)
			guarded.Guarded = true
			c.lab = newLab(t, guarded)
			alice, kept := c.SignUp("alice@example.com"), 0
			if want == fault.Auth {
				kept = 1
			}
			tried := c.do(ask{who: alice, dryRun: true})
			if tried.Failure != nil && tried.Failure.Code != want || (tried.Failure == nil) != (want == "") {
				t.Errorf("failed with %v, want %s", tried.Failure, want)
			}
			if got := c.recorded(); got != kept {
				t.Errorf("%d events stayed, want %d", got, kept)
			}
			c.do(ask{who: alice, dryRun: true, key: "k"})
			if got := c.recorded(); got != 2*kept {
				t.Errorf("%d events stayed under a key, want %d", got, 2*kept)
			}
			if replayed := c.do(ask{who: alice, dryRun: true, key: "k"}).Replayed; replayed != (want != fault.Internal) {
				t.Errorf("the second call under a key: replayed = %v", replayed)
			}
			if got := c.recorded(); got != 2*kept {
				t.Errorf("%d events stayed after a replay, want %d", got, 2*kept)
			}
		})
	}
}

// What a command owes in time is waited for, but not in the transaction around it.
func TestOwedTimeIsWaitedForOutsideTransactions(t *testing.T) {
	t.Parallel()
	const owed = 50 * time.Millisecond
	var inside time.Duration
	l := newLab(t, writes(func(ctx context.Context, _ command.Call, p params) (result, error) {
		began := time.Now()
		err := wait.Owe(ctx, owed)
		inside = time.Since(began)
		return result{Value: p.Value}, err
	}))
	alice := l.SignUp("alice@example.com")
	for name, a := range map[string]ask{"dry run": {dryRun: true}, "key": {key: "k"}, "plain": {}} {
		a.who = alice
		began := time.Now()
		l.do(a)
		if took := time.Since(began); took < owed || (inside < owed) == (name == "plain") {
			t.Errorf("%s: answered after %v, waited for %v inside", name, took, inside)
		}
	}
}

// The transaction around a command begins when it is first used, so that on SQLite nothing waits
// while a command hashes a password.
func TestTheTransactionBeginsWhenItIsUsed(t *testing.T) {
	t.Parallel()
	c := newCounted(t, harness.New(t))
	held := func() bool { return len(c.Store.Database().Turns) > 0 }
	var before, after bool
	handle := c.handle
	c.lab = over(t, c.Service, writes(func(ctx context.Context, call command.Call, p params) (result, error) {
		before = held()
		answered, err := handle(ctx, call, p)
		after = held()
		return answered, err
	}))
	alice := c.SignUp("alice@example.com")
	for name, asked := range map[string]ask{"a dry run": {who: alice, dryRun: true}, "a call with a key": {who: alice, key: "k"}} {
		c.do(asked)
		if before || !after {
			t.Errorf("%s holds the writer before its first change: %v, after: %v", name, before, after)
		}
	}
}

// Of two calls with one key that both run before either of them changes anything, one takes effect.
func TestConcurrentDuplicatesTakeEffectOnce(t *testing.T) {
	t.Parallel()
	c := newCounted(t, harness.New(t))
	var inside sync.WaitGroup
	inside.Add(2)
	var arrived atomic.Int32
	c.lab = over(t, c.Service, writes(func(ctx context.Context, call command.Call, p params) (result, error) {
		if arrived.Add(1) <= 2 {
			inside.Done()
			inside.Wait()
		}
		return c.handle(ctx, call, p)
	}))
	alice := c.SignUp("alice@example.com")
	var both sync.WaitGroup
	answers := make([]*answer, 2)
	for i := range answers {
		both.Go(func() { answers[i] = c.do(ask{who: alice, key: "k"}) })
	}
	both.Wait()
	if answers[0].Replayed == answers[1].Replayed || string(answers[0].Data) != string(answers[1].Data) || c.recorded() != 1 {
		t.Errorf("%s and %s, %d events", answers[0].Data, answers[1].Data, c.recorded())
	}
}
