package upkeep

import (
	"context"
	"time"

	"gatehouse.internal/domain/signingkey"
)

// forgetAfter is how long a key that is no longer accepted stays listed.
const forgetAfter = 7 * 24 * time.Hour

// rotate rotates the signing keys on schedule, creates those needed by apps, and
// deletes those long out of use.
func (k *Keeper) rotate(ctx context.Context) error {
	planned, due, err := k.forget(ctx)
	if err != nil || !due {
		return err
	}
	fresh, err := k.Keys.Fresh(planned.Algorithm)
	if err != nil {
		return err
	}
	err = k.Unit.Do(ctx, func(tx Repos) error {
		ring, err := tx.Keys.Load(ctx)
		if err != nil {
			return err
		}
		now := k.Clock.Now()
		if !ring.Due(now) {
			return nil // another replica was faster
		}
		ring.Rotate(fresh, time.Duration(planned.OverlapHours)*time.Hour, now)
		return tx.Keys.Save(ctx, ring)
	})
	if err != nil {
		return err
	}
	return k.Keys.Complete(ctx)
}

// forget drops old keys and reports whether a rotation is due, and how.
func (k *Keeper) forget(ctx context.Context) (signingkey.Schedule, bool, error) {
	var planned signingkey.Schedule
	due := false
	err := k.Unit.Do(ctx, func(tx Repos) error {
		ring, err := tx.Keys.Load(ctx)
		if err != nil || ring == nil {
			return err
		}
		now := k.Clock.Now()
		planned, due = ring.Snapshot().Schedule, ring.Due(now)
		if !ring.Forget(forgetAfter, now) {
			return nil
		}
		return tx.Keys.Save(ctx, ring)
	})
	return planned, due, err
}
