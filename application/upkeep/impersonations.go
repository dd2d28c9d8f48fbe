package upkeep

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/wait"
)

// endImpersonations notes that impersonations ended without being stopped, and ends their sessions.
// What tells of each is stored with it.
func (k *Keeper) endImpersonations(ctx context.Context) error {
	var beyond impersonation.ID
	for {
		found, err := k.unended(ctx, beyond)
		if err != nil {
			return fmt.Errorf("find expired impersonations: %w", err)
		}
		for i := range found {
			if err := timely(func(ctx context.Context) error { return k.endIfFallen(ctx, &found[i]) })(ctx); err != nil {
				return fmt.Errorf("end the impersonation %s: %w", found[i].ID, err)
			}
		}
		if len(found) < endsBatch {
			return nil
		}
		beyond = found[len(found)-1].ID
		if err := wait.For(ctx, batchPause); err != nil {
			return err
		}
	}
}

func (k *Keeper) unended(ctx context.Context, beyond impersonation.ID) (found []impersonation.Standing, err error) {
	err = timely(func(ctx context.Context) error {
		return k.Unit.Do(ctx, func(tx Repos) error {
			found, err = tx.Impersonations.Unended(ctx, beyond, endsBatch)
			return err
		})
	})(ctx)
	return found, err
}

func (k *Keeper) endIfFallen(ctx context.Context, of *impersonation.Standing) error {
	now := k.Clock.Now()
	by, err := k.Policies.Fallen(ctx, of, now)
	if err != nil || by == "" {
		return err
	}
	return k.Unit.Do(ctx, func(tx Repos) error { return fall(ctx, tx, of, by, now) })
}

func fall(ctx context.Context, tx Repos, of *impersonation.Standing, by impersonation.End, now time.Time) error {
	if of.Session.Active(now) {
		impersonated, err := tx.Sessions.ByID(ctx, of.SessionID)
		if err != nil {
			return err
		}
		impersonated.Return(session.ByBasis, now)
		if err := tx.Sessions.Save(ctx, impersonated); err != nil {
			return err
		}
	}
	one, err := tx.Impersonations.ByID(ctx, of.ID)
	if err != nil {
		return err
	}
	if one.Ended() { // another replica noted it
		return nil
	}
	one.Fall(by, earlier(now, of.ExpiresAt))
	return tx.Impersonations.Save(ctx, one)
}

func earlier(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}
