package batch

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync"
	"time"
)

// What an unset field of a Group stands for.
const (
	defaultMax     = 64
	defaultTimeout = 5 * time.Second
)

var (
	errExited = errors.New("batch: the run ended its goroutine")
	errLength = errors.New("batch: the run gave another number of outcomes than it had questions")
)

// Outcome is what a run gives for one question: an answer or an error.
type Outcome[A any] struct {
	Answer A
	Err    error
}

// Group gathers calls that wait together and runs them as one. While Parallel runs
// are under way, further calls wait and leave together in the next. The zero value
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

// run is a number of questions that leave together. The group's mutex guards what
// changes until it begins; done is closed once outcomes and err are set.
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

// join puts a question into the run that gathers, or begins a new one, and sees to
// it that somebody will take that.
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

// leave counts out a caller that goes away.
func (g *Group[Q, A]) leave(r *run[Q, A]) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r.waiting--
}

// work takes runs until there is none. Where Run ends the goroutine itself, another
// one takes over.
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

// next removes the oldest run that somebody still waits for from the queue; nil
// counts the worker out.
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

// perform answers a run's callers, whatever becomes of Run.
func (g *Group[Q, A]) perform(r *run[Q, A]) {
	ctx, cancel := context.WithTimeout(context.Background(), orDefault(g.Timeout, defaultTimeout))
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

// orDefault returns the value, or what stands for an unset one.
func orDefault[T int | time.Duration](value, unset T) T {
	if value <= 0 {
		return unset
	}
	return value
}
