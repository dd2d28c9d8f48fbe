package contract

import (
	"context"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/login"
)

// LoginFailures checks outbound.LoginFailures.
func LoginFailures(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("counts by the minute", w.failuresCounted)
	t.Run("counts every parallel failure", w.failuresParallel)
	t.Run("keeps the spike guard", w.failuresSpike)
	t.Run("lets one judge the spike guard at a time", w.failuresJudged)
}

func (w *world) fail(t *testing.T, at time.Time) (total int) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		total, err = tx.LoginFailures.Count(ctx, at)
		return err
	})
	return total
}

func (w *world) failuresCounted(t *testing.T) {
	minute := noon().Truncate(time.Minute)
	equal(t, "the first", w.fail(t, minute.Add(59*time.Second)), 1)
	equal(t, "the second", w.fail(t, minute), 2)
	equal(t, "of the next minute", w.fail(t, minute.Add(time.Minute)), 1)
	for _, c := range []struct{ from, to, want int }{{0, 1, 2}, {0, 2, 3}, {1, 2, 1}, {-60, 0, 0}} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			got, err := tx.LoginFailures.Total(ctx, minute.Add(time.Duration(c.from)*time.Minute), minute.Add(time.Duration(c.to)*time.Minute))
			equal(t, "the total", got, c.want)
			return err
		})
	}
}

func (w *world) failuresParallel(t *testing.T) {
	const callers = 10
	at := noon().Add(time.Hour)
	var all sync.WaitGroup
	for range callers {
		all.Go(func() {
			err := w.unit.Do(t.Context(), func(tx Repos) error {
				_, err := tx.LoginFailures.Count(t.Context(), at)
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	equal(t, "the total", w.fail(t, at), callers+1)
}

func (w *world) failuresSpike(t *testing.T) {
	for _, want := range []login.Spike{{}, {StartedAt: noon(), Until: noon().Add(time.Microsecond)}, {}} {
		w.moves(t, 1, func(ctx context.Context, tx Repos) error { return tx.LoginFailures.SetSpike(ctx, want) })
		w.do(t, func(ctx context.Context, tx Repos) error {
			got, err := tx.LoginFailures.Spike(ctx)
			equal(t, "the guard", got, want)
			return err
		})
		equal(t, "the guard with the instance", w.instance(t.Context(), t).Spike, want)
	}
}

func (w *world) failuresJudged(t *testing.T) {
	judge := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			_, err := tx.LoginFailures.Spike(t.Context())
			held()
			return err
		})
	}
	inTurn(t, judge, judge)
}
