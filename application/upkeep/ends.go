package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/wait"
)

// endsBatch is the maximum number of licenses, leases, machines or impersonations that are
// read at a time.
const endsBatch = 200

// endsOf finds expired objects (licensing.Ended).
type endsOf func(ctx context.Context, now time.Time, most int) (events []event.Data, more bool, err error)

// tellEnds raises events for objects that expired, for API keys that are about to, and for
// impersonations that ended with what they depend on. It decides nothing: that is checked whenever an object is used. A kind that
// fails does not prevent the others.
func (k *Keeper) tellEnds(ctx context.Context) error {
	return errors.Join(
		k.tellSome(ctx, func(tx Repos) endsOf { return tx.Ended.Licenses }),
		k.tellSome(ctx, func(tx Repos) endsOf { return tx.Ended.Leases }),
		k.tellSome(ctx, func(tx Repos) endsOf { return tx.Ended.Machines }),
		k.tellSome(ctx, func(tx Repos) endsOf { return tx.APIKeys.Expiring }),
		k.endImpersonations(ctx),
	)
}

func (k *Keeper) tellSome(ctx context.Context, kind func(Repos) endsOf) error {
	more := false
	batch := timely(func(ctx context.Context) error {
		return k.Unit.Do(ctx, func(tx Repos) error {
			events, rest, err := kind(tx)(ctx, k.Clock.Now(), endsBatch)
			if err != nil {
				return err
			}
			more = rest
			return tx.Events.Record(ctx, events...)
		})
	})
	for range passBatches {
		if err := batch(ctx); err != nil {
			return fmt.Errorf("record expirations: %w", err)
		}
		if !more {
			return nil
		}
		if err := wait.For(ctx, batchPause); err != nil {
			return err
		}
	}
	return nil
}
