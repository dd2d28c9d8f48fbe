package expressions

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"gatehouse.internal/application/engine/outside"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// language compiles expressions as a test wants it, and counts them.
type language struct {
	guard sync.Mutex
	times map[string]int
	order []string
	// before is called before an expression is compiled.
	before func(text string) error
}

func (l *language) Compile(text string, _ []outbound.Variable) (outbound.Expression, error) {
	l.guard.Lock()
	if l.times == nil {
		l.times = map[string]int{}
	}
	l.times[text]++
	l.order = append(l.order, text)
	l.guard.Unlock()
	if l.before != nil {
		if err := l.before(text); err != nil {
			return nil, err
		}
	}
	return program{text: text}, nil
}

func (l *language) count(text string) int {
	l.guard.Lock()
	defer l.guard.Unlock()
	return l.times[text]
}

type program struct {
	outbound.Expression

	text string
}

func (program) Size() int { return 1 << 10 }

func (l *language) source(text string) Source { return Source{NewDialect("test", l, nil), text} }

// take compiles an expression for a workspace, and reports whether that happened anew.
func take(t *testing.T, c *Compiler, l *language, org workspace.ID, text string) bool {
	t.Helper()
	before := l.count(text)
	if _, err := c.Compile(t.Context(), org, l.source(text)); err != nil {
		t.Fatal(err)
	}
	return l.count(text) > before
}

// TestWorkspacesShareTheCache has one that holds much lose nothing of another's.
func TestWorkspacesShareTheCache(t *testing.T) {
	t.Parallel()
	l, c := &language{}, &Compiler{}
	each := compiled{made: program{}}.size(key{dialect: l.source("").key, text: "small 0"})
	c.shelf.room = 10*each + each/2
	several := func(org workspace.ID, from, to int) (anew int) {
		for n := from; n < to; n++ {
			if take(t, c, l, org, fmt.Sprintf("%s %d", org, n)) {
				anew++
			}
		}
		return anew
	}
	several("small", 0, 3)
	for range 3 {
		several("large", 0, 20)
	}
	if anew := several("small", 0, 3); anew != 0 {
		t.Errorf("%d expressions of the small workspace were forgotten", anew)
	}
	if anew := several("large", 13, 20); anew != 0 {
		t.Errorf("%d expressions of the large workspace were forgotten, though there was room for 7", anew)
	}
	several("large", 13, 14) // used again, before the others
	several("new", 0, 1)
	if several("large", 13, 14) != 0 || several("large", 14, 15) != 1 {
		t.Error("the large workspace did not give up what it used longest ago")
	}
	if c.shelf.held > c.shelf.room || len(c.shelf.holders) != 3 {
		t.Errorf("%d of %d bytes of %d workspaces are held", c.shelf.held, c.shelf.room, len(c.shelf.holders))
	}
}

// An expression is compiled once for all who ask at once, and those whose context ends leave.
func TestCompilationIsShared(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		goOn := make(chan struct{})
		l, c := &language{before: func(string) error { <-goOn; return nil }}, &Compiler{}
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				if _, err := c.Compile(t.Context(), "org", l.source("x")); err != nil {
					t.Errorf("Compile = %v", err)
				}
			})
		}
		synctest.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := c.Compile(ended, "org", l.source("x")); !errors.Is(err, context.Canceled) {
			t.Errorf("Compile = %v, want context.Canceled", err)
		}
		close(goOn)
		all.Wait()
		if l.count("x") != 1 {
			t.Errorf("compiled %d times", l.count("x"))
		}
	})
}

// Mistakes are remembered, other failures and panics are not.
func TestCompilationsThatFail(t *testing.T) {
	t.Parallel()
	failure, mistake := errors.New("failure"), &outbound.ExpressionError{Message: "mistake"}
	for name, test := range map[string]struct {
		before func(string) error
		want   error
		times  int
	}{
		"mistake": {func(string) error { return mistake }, mistake, 1},
		"failure": {func(string) error { return failure }, failure, 2},
		"panic":   {func(string) error { panic("failure") }, nil, 2},
	} {
		l, c := &language{before: test.before}, &Compiler{}
		for range 2 {
			func() {
				defer func() { _ = recover() }()
				if _, err := c.Compile(t.Context(), "org", l.source("x")); !errors.Is(err, test.want) {
					t.Errorf("%s: Compile = %v", name, err)
				}
			}()
		}
		if l.count("x") != test.times || len(c.needed.queues) != 0 {
			t.Errorf("%s: compiled %d times, %d workspaces wait", name, l.count("x"), len(c.needed.queues))
		}
	}
}

// Workspaces wait for none of the expressions that another one needs or has checked. Where it
// has some checked, another workspace waits for one of them.
func TestWorkspacesTakeTurns(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const many = 50
		goOn := make(chan struct{})
		l, c := &language{}, &Compiler{}
		l.before = func(text string) error {
			if text != "needed by others" {
				<-goOn
			}
			return nil
		}
		var all sync.WaitGroup
		for n := range many {
			all.Go(func() { _, _ = c.Compile(t.Context(), "busy", l.source(fmt.Sprint("needed ", n))) })
			all.Go(func() { _ = c.Prepare(t.Context(), "busy", l.source(fmt.Sprint("checked ", n))) })
		}
		synctest.Wait()
		if len(l.order) != 2 {
			t.Errorf("%v are compiled at once, want one that is needed and one that is checked", l.order)
		}
		take(t, c, l, "other", "needed by others")
		all.Go(func() { _ = c.Prepare(t.Context(), "other", l.source("checked by others")) })
		synctest.Wait()
		for range 2 * 2 { // two more of both kinds
			goOn <- struct{}{}
			synctest.Wait()
		}
		if l.count("checked by others") != 1 {
			t.Errorf("the other workspace still waits after %v", l.order)
		}
		close(goOn)
		all.Wait()
	})
}

// Who hangs up while waiting has nothing compiled any more.
func TestCanceledCallerStopsCompiling(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	l, c := &language{before: func(string) error { cancel(); return nil }}, &Compiler{}
	err := c.Prepare(ctx, "org", l.source("1"), l.source("2"), l.source("3"))
	if !errors.Is(err, context.Canceled) || l.count("1") != 1 || l.count("2")+l.count("3") != 0 {
		t.Errorf("Prepare = %v, compiled %v", err, l.order)
	}
}

// In a transaction around a command nothing is compiled: the transaction ends, and begins again.
func TestNothingIsCompiledInTransactions(t *testing.T) {
	t.Parallel()
	within := false
	l, c := &language{}, &Compiler{}
	l.before = func(text string) error {
		if within {
			t.Errorf("%s is compiled in the transaction", text)
		}
		return nil
	}
	kept, runs := 0, 0
	err := outside.Around(t.Context(), func(ctx context.Context, keep func(bool) bool) error {
		within = true
		defer func() { within = false }()
		runs++
		err := c.Prepare(ctx, "org", l.source("1"), l.source("2"))
		if err == nil {
			_, err = c.Compile(ctx, "org", l.source("2"))
		}
		if keep(err == nil) {
			kept++
		}
		return nil
	})
	if err != nil || kept != 1 || runs != 2 {
		t.Errorf("Around = %v, ran %d times and kept %d", err, runs, kept)
	}
}
