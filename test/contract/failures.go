package contract

import (
	"context"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/guess"
	"gatehouse.internal/domain/loginevent"
	"gatehouse.internal/ports/outbound/ops"
)

// LoginFailures checks signin.LoginFailures.
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
	for _, want := range []loginevent.Spike{{}, {StartedAt: noon(), Until: noon().Add(time.Microsecond)}, {}} {
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

// Guesses checks signin.Guesses.
func Guesses(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.guessesRoundTrip)
	t.Run("refuses a stale copy", w.guessesStale)
	t.Run("counts every parallel guess", w.guessesParallel)
	t.Run("forgets what counts no more", func(t *testing.T) { newWorld(t, open).guessesPurged(t) })
}

func (w *world) guessed(t *testing.T, subject string) *guess.Count {
	t.Helper()
	var found *guess.Count
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Guesses.Of(ctx, subject)
		return err
	})
	return found
}

func (w *world) guessesRoundTrip(t *testing.T) {
	equal(t, "what nobody guessed", w.guessed(t, "whole").Snapshot(), guess.Snapshot{Subject: "whole"})
	for version, want := range []guess.Snapshot{
		{Subject: "whole", Misses: []time.Time{noon(), noon().Add(time.Microsecond)}, Until: noon().Add(time.Minute), ExpiresAt: noon().Add(time.Hour)},
		{Subject: "whole", ExpiresAt: noon()},
	} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			return tx.Guesses.Save(ctx, guess.Restore(want, int64(version)))
		})
		equal(t, "the count", w.guessed(t, "whole").Snapshot(), want)
	}
	equal(t, "another subject", w.guessed(t, "Whole").Counting(), false)
}

func (w *world) guessesStale(t *testing.T) {
	for range 2 { // never stored, then stored
		one, other := w.guessed(t, "stale"), w.guessed(t, "stale")
		one.Miss(guess.LoginCodes(), noon())
		other.Miss(guess.LoginCodes(), noon())
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Guesses.Save(ctx, one) })
		w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Guesses.Save(ctx, other) })
	}
	equal(t, "what counts", len(w.guessed(t, "stale").Snapshot().Misses), 2)
}

func (w *world) guessesParallel(t *testing.T) {
	const guesses = 12
	var all sync.WaitGroup
	for range guesses {
		all.Go(func() {
			err := w.unit.Do(t.Context(), func(tx Repos) error {
				count, err := tx.Guesses.Of(t.Context(), "parallel")
				if err != nil {
					return err
				}
				count.Miss(guess.LoginCodes(), noon())
				return tx.Guesses.Save(t.Context(), count)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	equal(t, "what counts", len(w.guessed(t, "parallel").Snapshot().Misses), guesses)
}

func (w *world) guessesPurged(t *testing.T) {
	count := w.guessed(t, "purged")
	count.Miss(guess.LoginCodes(), noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Guesses.Save(ctx, count) })
	w.dueAt(t, ops.PurgeGuesses, noon().Add(time.Hour))
	equal(t, "what is left", w.guessed(t, "purged").Counting(), false)
}
