package main

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/domain/wait"
)

// Targets of the process itself.
const (
	startTarget  = 150 * time.Millisecond
	memoryTarget = 60 << 20
)

// benchStart measures the start on a database that exists, and the memory of an
// instance that has nothing to do. The instance ends up started anew.
func benchStart(ctx context.Context, i *instance, o options, r *report) error {
	loaded, err := resident(i.pid())
	if err != nil {
		return err
	}
	var took []time.Duration
	for range o.runs {
		i.stop()
		began := time.Now()
		if i.process, err = i.serve(ctx); err != nil {
			return fmt.Errorf("start again: %w", err)
		}
		took = append(took, time.Since(began))
	}
	_ = wait.For(ctx, time.Second)
	idle, err := resident(i.pid())
	if err != nil {
		return err
	}
	ready := median(took)
	r.printf("\n%s: the process\n", i.db.store)
	r.printf("start to ready     %9s  target %s  %s\n", millis(ready), millis(startTarget), r.verdict(ready < startTarget))
	r.printf("resident when idle %6.1f MB  target %d MB  %s\n", float64(idle)/(1<<20), memoryTarget>>20, r.verdict(idle < memoryTarget))
	r.printf("resident after all the load above: %.1f MB\n", float64(loaded)/(1<<20))
	return ctx.Err()
}
