package upkeep

import (
	"context"
	"fmt"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/impersonation"
	"gatehouse.internal/domain/session"
)

// fallen notes that impersonations ended without being stopped, and ends their sessions. What tells of
// each is stored with it.
func fallen(tx Repos) endsOf {
	return func(ctx context.Context, now time.Time, most int) ([]event.Data, bool, error) {
		found, err := tx.Impersonations.Fallen(ctx, now, most)
		if err != nil {
			return nil, false, err
		}
		ended := 0
		for i := range found {
			by := found[i].Fallen(now)
			if by == "" {
				continue
			}
			if err := fall(ctx, tx, &found[i], by, now); err != nil {
				return nil, false, fmt.Errorf("end the impersonation %s: %w", found[i].ID, err)
			}
			ended++
		}
		return nil, ended == most, nil
	}
}

func fall(ctx context.Context, tx Repos, of *impersonation.Standing, by impersonation.End, now time.Time) error {
	if of.Lent.Active(now) {
		lent, err := tx.Sessions.ByID(ctx, of.SessionID)
		if err != nil {
			return err
		}
		lent.Return(session.ByBasis, now)
		if err := tx.Sessions.Save(ctx, lent); err != nil {
			return err
		}
	}
	one, err := tx.Impersonations.ByID(ctx, of.ID)
	if err != nil {
		return err
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
