package upkeep

import (
	"context"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/loginevent"
)

// prolongAfter is how much longer the guard must hold for that to be stored: each
// change makes every replica load the configuration again.
const prolongAfter = time.Minute

// watch judges whether far more logins fail than usual, in this minute or the
// last, and switches the spike guard.
func (k *Keeper) watch(ctx context.Context) error {
	return k.Unit.Do(ctx, func(tx Repos) error {
		before, err := tx.Failures.Spike(ctx)
		if err != nil {
			return err
		}
		now := k.Clock.Now()
		next, happened := before, []event.Data(nil)
		if before.Over(now) {
			next, happened = loginevent.Spike{}, append(happened, loginevent.SpikeEnded{StartedAt: before.StartedAt})
		}
		next, began, err := judge(ctx, tx, next, now)
		if err != nil {
			return err
		}
		if began != nil {
			happened = append(happened, began)
		}
		if len(happened) == 0 && next.Until.Sub(before.Until) < prolongAfter {
			return nil
		}
		if err := tx.Failures.SetSpike(ctx, next); err != nil {
			return err
		}
		return tx.Events.Record(ctx, happened...)
	})
}

// judge returns the guard's next state, and the event when a wave began.
func judge(ctx context.Context, tx Repos, spike loginevent.Spike, now time.Time) (loginevent.Spike, event.Data, error) {
	minute := now.Truncate(time.Minute)
	current, err := tx.Failures.Total(ctx, minute, minute.Add(time.Minute))
	if err != nil {
		return spike, nil, err
	}
	last, err := tx.Failures.Total(ctx, minute.Add(-time.Minute), minute)
	if err != nil {
		return spike, nil, err
	}
	failures := max(current, last)
	if !loginevent.MayBeSpike(failures) {
		return spike, nil, nil
	}
	from, to := spike.Baseline(now)
	usual, err := tx.Failures.Total(ctx, from, to)
	if err != nil {
		return spike, nil, err
	}
	next, started := spike.Judge(failures, usual, now)
	if !started {
		return next, nil, nil
	}
	return next, loginevent.SpikeStarted{Failures: failures, Usual: loginevent.Usual(usual), Until: next.Until}, nil
}
