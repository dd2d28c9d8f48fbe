package claims

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
)

// take asks a shelf for the expressions of an app, of a size, and reports whether they
// had to be compiled.
func take(t *testing.T, s *shelf, org string, n int, size int, sources ...string) (anew bool) {
	t.Helper()
	a := app.Snapshot{ID: app.ID(fmt.Sprint(org, n)), OrgID: workspace.ID(org), Claims: map[string]string{"x": fmt.Sprint(sources)}}
	_, err := s.of(t.Context(), a, a.Claims, func(c *compiled) { anew, c.err, c.size = true, nil, size })
	if err != nil {
		t.Fatal(err)
	}
	return anew
}

// TestWorkspacesShareTheShelf has one that holds much lose nothing of another's.
func TestWorkspacesShareTheShelf(t *testing.T) {
	t.Parallel()
	s := &shelf{room: 100}
	for n := range 3 {
		take(t, s, "small", n, 10)
	}
	for range 3 {
		for n := range 20 {
			take(t, s, "large", n, 10)
		}
	}
	for n := range 3 {
		if take(t, s, "small", n, 10) {
			t.Errorf("app %d of the small workspace was forgotten", n)
		}
	}
	for n := 13; n < 20; n++ {
		if take(t, s, "large", n, 10) {
			t.Errorf("app %d of the large workspace was forgotten, though there was room for 7", n)
		}
	}
	take(t, s, "large", 13, 10) // used again, before the others
	take(t, s, "new", 0, 10)
	if take(t, s, "large", 13, 10) || !take(t, s, "large", 14, 10) {
		t.Error("the large workspace did not give up what it used longest ago")
	}
	if take(t, s, "huge", 0, 1000); s.held > s.room {
		t.Errorf("%d of %d bytes are held", s.held, s.room)
	}
	if take(t, s, "small", 0, 10) {
		t.Error("what never fits drove others out")
	}
}

// TestShelfFollowsTheApp has expressions compiled anew when they change, and nothing
// left behind of those before.
func TestShelfFollowsTheApp(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	for i := range 5 {
		if !take(t, s, "org", 1, 10, fmt.Sprint(i)) || take(t, s, "org", 1, 10, fmt.Sprint(i)) {
			t.Errorf("sources %d are not compiled once", i)
		}
	}
	if s.held != 10 || len(s.apps) != 1 || len(s.holders) != 1 || s.holders["org"].used.Len() != 1 {
		t.Errorf("%d bytes of %d apps are held", s.held, len(s.apps))
	}
	s.try("other", func() {})
	if len(s.holders) != 1 {
		t.Error("a workspace stays though nothing is kept of it")
	}
}

// TestCompilationsThatFail are told to whoever waits for them, and not kept.
func TestCompilationsThatFail(t *testing.T) {
	t.Parallel()
	s, failure := &shelf{}, errors.New("failure")
	a := app.Snapshot{ID: "a", OrgID: "org"}
	if _, err := s.of(t.Context(), a, nil, func(c *compiled) { c.err = failure }); !errors.Is(err, failure) {
		t.Errorf("of() = %v, want the failure", err)
	}
	func() {
		defer func() { _ = recover() }()
		_, _ = s.of(t.Context(), a, nil, func(*compiled) { panic("failure") })
	}()
	if len(s.apps)+len(s.holders)+s.held != 0 {
		t.Errorf("%d apps and %d workspaces are kept", len(s.apps), len(s.holders))
	}
	if _, err := s.of(t.Context(), a, nil, func(c *compiled) { c.err = nil }); err != nil {
		t.Errorf("of() = %v after failures", err)
	}
}

// TestCompilationIsShared has one compile for all who ask at once, and those go away
// whose context ends.
func TestCompilationIsShared(t *testing.T) {
	t.Parallel()
	s, a := &shelf{}, app.Snapshot{ID: "a", OrgID: "org"}
	var times atomic.Int64
	began, goOn := make(chan struct{}), make(chan struct{})
	slow := func(c *compiled) {
		times.Add(1)
		close(began)
		<-goOn
		c.err = nil
	}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := s.of(t.Context(), a, nil, slow); err != nil {
				t.Errorf("of() = %v", err)
			}
		})
	}
	<-began
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.of(ended, a, nil, slow); !errors.Is(err, context.Canceled) {
		t.Errorf("of() = %v, want context.Canceled", err)
	}
	close(goOn)
	all.Wait()
	if times.Load() != 1 {
		t.Errorf("compiled %d times", times.Load())
	}
}

// TestWorkspacesTakeTurns has one app of a workspace wait for few of those that another
// workspace wants compiled at once.
func TestWorkspacesTakeTurns(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	began, goOn := make(chan struct{}), make(chan struct{})
	var guard sync.Mutex
	var order []workspace.ID
	var all sync.WaitGroup
	ask := func(org workspace.ID, n int, before func()) {
		all.Go(func() {
			a := app.Snapshot{ID: app.ID(fmt.Sprint(org, n)), OrgID: org}
			_, _ = s.of(t.Context(), a, nil, func(c *compiled) {
				before()
				guard.Lock()
				defer guard.Unlock()
				order, c.err = append(order, org), nil
			})
		})
	}
	ask("busy", 0, func() { close(began); <-goOn })
	<-began
	const many = 200
	for n := range many {
		// Each takes a while, in which the other workspace comes to the gate.
		ask("busy", n+1, func() { time.Sleep(time.Millisecond) })
	}
	waits := func(org workspace.ID, n int) {
		for enough := false; !enough; {
			s.guard.Lock()
			enough = s.holders[org] != nil && s.holders[org].waiting == n
			s.guard.Unlock()
		}
	}
	waits("busy", many+1)
	ask("other", 0, func() {})
	waits("other", 1)
	close(goOn)
	all.Wait()
	for at, org := range order {
		if org == "other" && at > many/2 {
			t.Errorf("the other workspace came after %d of %d", at, many)
		}
	}
}
