// Package queue implements the loop by which a replica processes a queue in the store:
// it claims due items, as many as it can process concurrently, and repeats.
//
// # Decision: one claim loop for mail and jobs, no job library
//
// Context: mails and jobs are rows in the store, each replica processes some of them,
// and those of a replica that died are due again when their leases expire. A job
// library (River was considered) supports both databases, but has its own tables, clock
// and schedule beside our rows, which must exist in any case, since commands list,
// count and cancel them.
//
// Choice: this loop. The statements of each queue define what is due and how leases are
// renewed; a number in each row identifies the lease, so that a replica whose lease
// expired can store nothing.
//
// What would change our mind: work that depends on other work, or that is scheduled by
// priorities.
package queue

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// lookEvery is the polling interval for items queued by other replicas, or due again.
const lookEvery = time.Second

// Loop works off one queue.
type Loop[T any] struct {
	// Name is the name of the queue in the log.
	Name string
	// Parallel is how many a replica carries out at once.
	Parallel int
	// Claim returns at most so many due items, and claims them.
	Claim func(ctx context.Context, most int) ([]T, error)
	// CarryOut carries out one of them.
	CarryOut func(ctx context.Context, one T)
	// Queued is ready after this process queued an item; it is handled after the delay
	// Answer, so that the response to the call is sent first. Nil for never.
	Queued <-chan struct{}
	Answer time.Duration
	// Count, if any, is called every CountEvery.
	Count      func(ctx context.Context)
	CountEvery time.Duration
	Logger     *slog.Logger
}

// Run processes items until the context ends and running ones have ended.
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

// tell logs the first of several failures in a row, and the recovery.
func (l Loop[T]) tell(ctx context.Context, err error, failing bool) bool {
	switch {
	case err != nil && !failing:
		l.Logger.WarnContext(ctx, "queue processing fails", "queue", l.Name, "cause", err)
	case err == nil && failing:
		l.Logger.InfoContext(ctx, "queue processing works again", "queue", l.Name)
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
