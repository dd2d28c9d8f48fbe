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

// Limits of a pass of the keeper: the number of batches of a kind, and the pause
// between them for other users of the store.
const (
	passBatches = 500
	batchPause  = 10 * time.Millisecond
)

// Purger deletes expired data.
type Purger struct {
	Upkeep ops.Upkeep
	// Instance determines how long events are kept.
	Instance *instance.Current
	Clock    outbound.Clock
}

// until returns the time before which data of a kind is deleted. The retention of
// events, deliveries and runs is read again, since an idle replica could have an
// outdated value.
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

// Purge deletes all expired data of these kinds, in small batches, and returns the
// numbers of deleted rows, even if it fails.
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
