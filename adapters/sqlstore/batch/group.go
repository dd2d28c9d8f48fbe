package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"gatehouse.internal/ports/outbound"
)

// The defaults of the fields of a Group.
const (
	defaultMax     = 64
	defaultTimeout = 5 * time.Second
)

var (
	errExited = errors.New("batch: the run ended its goroutine")
	errLength = errors.New("batch: the run gave another number of outcomes than it had questions")
)

// Outcome is the result of one question: an answer or an error.
type Outcome[A any] struct {
	Answer A
	Err    error
}

// Group groups concurrent calls into runs. While Parallel runs are under way, further calls
// wait, and form the next run. The zero value
// with Run set is ready; it must not be copied or changed once used.
type Group[Q, A any] struct {
	// Run answers the questions, one outcome each in the same order; its error
	// fails them all. It has to end soon after its context does. The context is the
	// run's own: it carries no values and outlives callers that go away.
	Run func(ctx context.Context, questions []Q) ([]Outcome[A], error)
	// Max is the most questions in one run; 0 stands for 64.
	Max int
	// Parallel is how many runs may be under way at once; 0 stands for 1.
	Parallel int
	// Timeout ends the context of a run; 0 stands for 5 seconds.
	Timeout time.Duration

	mu      sync.Mutex
	queue   []*run[Q, A] // not begun, oldest first; only the last may have room
	workers int          // goroutines that take runs, at most Parallel
}

// run is a batch of questions. The mutex of the group guards its fields until it begins;
// done is closed once outcomes and err are set.
type run[Q, A any] struct {
	questions []Q
	waiting   int // callers that have not gone away
	outcomes  []Outcome[A]
	err       error
	done      chan struct{}
}

// Do asks one question and waits for its answer, which comes from a run that began
// after the call of Do. When ctx ends first, Do returns its error at once; the
// question may be run nevertheless.
func (g *Group[Q, A]) Do(ctx context.Context, question Q) (A, error) {
	var none A
	if err := ctx.Err(); err != nil {
		return none, err
	}
	r, i := g.join(question)
	select {
	case <-r.done:
	case <-ctx.Done():
		g.leave(r)
		return none, ctx.Err()
	}
	if r.err != nil {
		return none, r.err
	}
	return r.outcomes[i].Answer, r.outcomes[i].Err
}

// join adds a question to the waiting run, or to a new one, and starts a worker if needed.
func (g *Group[Q, A]) join(question Q) (r *run[Q, A], index int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if n := len(g.queue); n > 0 && len(g.queue[n-1].questions) < orDefault(g.Max, defaultMax) {
		r = g.queue[n-1]
	} else {
		r = &run[Q, A]{done: make(chan struct{})}
		g.queue = append(g.queue, r)
		if g.workers < orDefault(g.Parallel, 1) {
			g.workers++
			go g.work()
		}
	}
	r.questions = append(r.questions, question)
	r.waiting++
	return r, len(r.questions) - 1
}

// leave removes a caller that no longer waits.
func (g *Group[Q, A]) leave(r *run[Q, A]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r.waiting--
}

// work performs runs until there is none. If Run exits the goroutine (runtime.Goexit), another
// one continues.
func (g *Group[Q, A]) work() {
	idle := false
	defer func() {
		if !idle {
			go g.work()
		}
	}()
	for r := g.next(); r != nil; r = g.next() {
		g.perform(r)
	}
	idle = true
}

// next removes the oldest run with a waiting caller from the queue. It returns nil if there is
// none, and the worker has to stop.
func (g *Group[Q, A]) next() *run[Q, A] {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.queue) > 0 {
		r := g.queue[0]
		g.queue[0] = nil
		g.queue = g.queue[1:]
		if r.waiting > 0 {
			return r
		}
	}
	g.queue = nil
	g.workers--
	return nil
}

// perform calls Run and answers the callers, also if Run panics or exits the goroutine.
func (g *Group[Q, A]) perform(r *run[Q, A]) {
	ctx, cancel := context.WithTimeout(outbound.WithHurry(context.Background()), orDefault(g.Timeout, defaultTimeout))
	r.err = errExited
	defer func() {
		cancel()
		if p := recover(); p != nil {
			r.err = fmt.Errorf("batch: the run panicked: %v\n%s", p, debug.Stack())
		}
		close(r.done)
	}()
	outcomes, err := g.Run(ctx, r.questions)
	if err == nil && len(outcomes) != len(r.questions) {
		err = errLength
	}
	r.outcomes, r.err = outcomes, err
}

// orDefault returns the value, or the default for 0.
func orDefault[T int | time.Duration](value, unset T) T {
	if value <= 0 {
		return unset
	}
	return value
}
