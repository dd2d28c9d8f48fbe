package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/wait"
	"gatehouse.internal/ports/outbound"
)

// A pass of the keeper removes at most so many batches of a kind, and lets
// others at the store between them.
const (
	passBatches = 100
	batchPause  = 50 * time.Millisecond
)

// Purge removes everything of these kinds that has expired, in small batches,
// and tells how many rows of each went. On failure that is what went until then.
func Purge(ctx context.Context, up outbound.Upkeep, clock outbound.Clock, kinds []outbound.PurgeKind) (map[outbound.PurgeKind]int, error) {
	deleted, now := make(map[outbound.PurgeKind]int, len(kinds)), clock.Now()
	for _, kind := range kinds {
		deleted[kind] = 0
		for n := 1; n > 0; deleted[kind] += n {
			var err error
			if n, err = up.Purge(ctx, kind, now); err != nil {
				return deleted, fmt.Errorf("purge %s: %w", kind, err)
			}
		}
	}
	return deleted, nil
}

// purge is a pass of the keeper. A kind that fails keeps no other from its turn.
func (k *Keeper) purge(ctx context.Context) error {
	var failures []error
	for _, kind := range outbound.PurgeKinds() {
		failures = append(failures, k.purgeSome(ctx, kind))
	}
	return errors.Join(failures...)
}

func (k *Keeper) purgeSome(ctx context.Context, kind outbound.PurgeKind) error {
	n := 0
	batch := timely(func(ctx context.Context) (err error) {
		n, err = k.Upkeep.Purge(ctx, kind, k.Clock.Now())
		return err
	})
	for range passBatches {
		if err := batch(ctx); err != nil {
			return fmt.Errorf("purge %s: %w", kind, err)
		}
		if n == 0 {
			return nil
		}
		if err := wait.For(ctx, batchPause); err != nil {
			return err
		}
	}
	return nil
}
