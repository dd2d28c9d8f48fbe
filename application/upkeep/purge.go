package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/application/engine/instance"
	"gatehouse.internal/domain/wait"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// A pass of the keeper removes at most so many batches of a kind, and lets
// others at the store between them.
const (
	passBatches = 100
	batchPause  = 50 * time.Millisecond
)

// Purger removes what has expired.
type Purger struct {
	Upkeep ops.Upkeep
	// Instance says how long events are kept.
	Instance *instance.Current
	Clock    outbound.Clock
}

// until returns the time before which what is of a kind goes. How long events, deliveries and runs are kept is
// read anew: a replica that had no request since would remove too much.
func (p Purger) until(ctx context.Context, kind ops.PurgeKind) (time.Time, error) {
	now := p.Clock.Now()
	if kind != ops.PurgeEvents && kind != ops.PurgeDeliveries && kind != ops.PurgeRuns {
		return now, nil
	}
	state, err := p.Instance.Fresh(ctx)
	if err != nil {
		return now, err
	}
	switch kind {
	case ops.PurgeDeliveries:
		return now.Add(-state.Settings.DeliveryLife()), nil
	case ops.PurgeRuns:
		return now.Add(-state.Settings.RunLife()), nil
	default:
		return now.Add(-state.Settings.AuditLife()), nil
	}
}

// Purge removes everything of these kinds that has expired, in small batches,
// and returns how many rows of each went. On failure that is what went until then.
func (p Purger) Purge(ctx context.Context, kinds []ops.PurgeKind) (map[ops.PurgeKind]int, error) {
	deleted := make(map[ops.PurgeKind]int, len(kinds))
	for _, kind := range kinds {
		deleted[kind] = 0
		until, err := p.until(ctx, kind)
		if err != nil {
			return deleted, err
		}
		for n := 1; n > 0; deleted[kind] += n {
			if n, err = p.Upkeep.Purge(ctx, kind, until); err != nil {
				return deleted, fmt.Errorf("purge %s: %w", kind, err)
			}
		}
	}
	return deleted, nil
}

// purge is a pass of the keeper. A kind that fails keeps no other from its turn.
func (k *Keeper) purge(ctx context.Context) error {
	var failures []error
	for _, kind := range ops.PurgeKinds() {
		failures = append(failures, k.purgeSome(ctx, kind))
	}
	return errors.Join(failures...)
}

func (k *Keeper) purgeSome(ctx context.Context, kind ops.PurgeKind) error {
	n := 0
	batch := timely(func(ctx context.Context) error {
		until, err := Purger{k.Upkeep, k.Instance, k.Clock}.until(ctx, kind)
		if err == nil {
			n, err = k.Upkeep.Purge(ctx, kind, until)
		}
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
