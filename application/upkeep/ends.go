package upkeep

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/wait"
)

// endsBatch is of how many licences, leases or machines is told at once that the clock
// ended them.
const endsBatch = 200

// endsOf finds what the clock ended (licensing.Ended).
type endsOf func(ctx context.Context, now time.Time, most int) (told []event.Data, more bool, err error)

// tellEnds is a pass over what the clock ended. It decides nothing: each is judged by the
// clock whenever it is looked at. A kind that fails keeps no other from its turn.
func (k *Keeper) tellEnds(ctx context.Context) error {
	return errors.Join(
		k.tellSome(ctx, func(tx Repos) endsOf { return tx.Ended.Licences }),
		k.tellSome(ctx, func(tx Repos) endsOf { return tx.Ended.Leases }),
		k.tellSome(ctx, func(tx Repos) endsOf { return tx.Ended.Machines }),
	)
}

func (k *Keeper) tellSome(ctx context.Context, kind func(Repos) endsOf) error {
	more := false
	batch := timely(func(ctx context.Context) error {
		return k.Unit.Do(ctx, func(tx Repos) error {
			told, rest, err := kind(tx)(ctx, k.Clock.Now(), endsBatch)
			if err != nil {
				return err
			}
			more = rest
			return tx.Events.Record(ctx, told...)
		})
	})
	for range passBatches {
		if err := batch(ctx); err != nil {
			return fmt.Errorf("tell what the clock ended: %w", err)
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
