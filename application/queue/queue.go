// Package queue is the loop by which a replica works off a queue in the store: it claims
// what is due, as much as it can carry out at once, and looks again when there may be more.
//
// # Decision: one claim loop for mail and jobs, no job library
//
// Context: mails and jobs are rows in the store, each replica takes some of them, and
// what a replica held that died comes up again when its lease ends. A job library
// (River was weighed) runs on both databases, but brings tables, a clock and a schedule
// of its own beside the rows that must be ours in any case, since commands list, count
// and cancel them.
//
// Choice: this loop. What is due, what a lease is and how it is renewed is said by the
// statements of each queue; what a claim holds on to is told by a number in its row, so
// that whoever lost a lease can store nothing by it.
//
// What would change our mind: work that depends on other work, or that is scheduled
// by priorities.
package queue

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// lookEvery is how often a replica looks for what others queued, or that is due again.
const lookEvery = time.Second

// Loop works off one queue.
type Loop[T any] struct {
	// Name is what the queue is called in the log.
	Name string
	// Parallel is how many a replica carries out at once.
	Parallel int
	// Claim takes what is due, at most so many.
	Claim func(ctx context.Context, most int) ([]T, error)
	// CarryOut carries out one of them.
	CarryOut func(ctx context.Context, one T)
	// Queued is ready once this process queued something; it is looked at after the pause
	// Answer, which lets the answer of the call go out first. Nil: never.
	Queued <-chan struct{}
	Answer time.Duration
	// Count, if any, is called every CountEvery.
	Count      func(ctx context.Context)
	CountEvery time.Duration
	Logger     *slog.Logger
}

// Run works until the context ends and what is under way has ended.
func (l Loop[T]) Run(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	var count <-chan time.Time
	if l.Count != nil {
		ticker := time.NewTicker(l.CountEvery)
		defer ticker.Stop()
		count = ticker.C
	}
	slots := make(chan struct{}, l.Parallel)
	var working sync.WaitGroup
	defer working.Wait()
	failing := false
	for {
		n, err := l.dispatch(ctx, slots, &working)
		if ctx.Err() != nil {
			return
		}
		failing = l.tell(ctx, err, failing)
		if n > 0 && err == nil {
			continue
		}
		select {
		case <-ctx.Done():
			return
		case <-l.Queued:
			pause(ctx, l.Answer)
		case <-look.C:
		case <-count:
			l.Count(ctx)
		}
	}
}

// pause waits, but no longer than the context lasts.
func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// tell logs the first of several failures in a row, and that it is over.
func (l Loop[T]) tell(ctx context.Context, err error, failing bool) bool {
	switch {
	case err != nil && !failing:
		l.Logger.WarnContext(ctx, "a queue cannot be worked off", "queue", l.Name, "cause", err)
	case err == nil && failing:
		l.Logger.InfoContext(ctx, "a queue is worked off again", "queue", l.Name)
	}
	return err != nil
}

// dispatch claims as many as there are slots, at least one, and begins to carry them
// out; it returns how many.
func (l Loop[T]) dispatch(ctx context.Context, slots chan struct{}, working *sync.WaitGroup) (int, error) {
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case slots <- struct{}{}:
	}
	free := 1
	for more := true; more; {
		select {
		case slots <- struct{}{}:
			free++
		default:
			more = false
		}
	}
	claimed, err := l.Claim(ctx, free)
	for range free - len(claimed) {
		<-slots
	}
	for _, one := range claimed {
		working.Go(func() {
			defer func() { <-slots }()
			l.CarryOut(ctx, one)
		})
	}
	return len(claimed), err
}
