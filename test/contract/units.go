package contract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/notice"
	"gatehouse.internal/domain/user"
)

// Units checks outbound.Unit.
func Units(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("runs again after a lost race", w.unitRetries)
	t.Run("gives up on endless contention", w.unitGivesUp)
	t.Run("tells that what a row belongs to is gone", w.unitBereft)
	t.Run("stops with its context", w.unitCanceled)
	t.Run("rolls back when it panics", w.unitPanics)
	t.Run("runs many at once from the first", func(t *testing.T) { unitsAtOnce(t, open) })
}

func (w *world) unitRetries(t *testing.T) {
	runs := 0
	w.do(t, func(context.Context, Repos) error {
		if runs++; runs < 3 {
			return fmt.Errorf("save: %w", aggregate.ErrConflict)
		}
		return nil
	})
	equal(t, "the runs", runs, 3)
}

func (w *world) unitGivesUp(t *testing.T) {
	began := time.Now()
	w.fails(t, aggregate.ErrConflict, func(context.Context, Repos) error { return aggregate.ErrConflict })
	if took := time.Since(began); took > 8*time.Second {
		t.Errorf("it took %v", took)
	}
}

// unitBereft adds to an account that is not there: one more try is enough to see that.
func (w *world) unitBereft(t *testing.T) {
	runs, nobody := 0, like(w, user.ID(""))
	w.fails(t, aggregate.ErrBereft, func(ctx context.Context, tx Repos) error {
		runs++
		return tx.Notices.SavePreferences(ctx, notice.NoPreferences(nobody))
	})
	equal(t, "the runs", runs, 2)
}

func (w *world) unitCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	made := user.New(like(w, user.ID("")), address(t, "canceled@example.com"), "", noon())
	err := w.unit.Do(ctx, func(tx Repos) error {
		err := tx.Users.Save(ctx, made)
		cancel()
		return err
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Users.ByID(ctx, made.ID())
		return err
	})
}

func (w *world) unitPanics(t *testing.T) {
	made := user.New(like(w, user.ID("")), address(t, "panic@example.com"), "", noon())
	func() {
		defer func() {
			if recover() == nil {
				t.Error("the panic did not come through")
			}
		}()
		_ = w.unit.Do(t.Context(), func(tx Repos) error {
			if err := tx.Users.Save(t.Context(), made); err != nil {
				return err
			}
			panic("out of ideas")
		})
	}()
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Users.ByID(ctx, made.ID())
		return err
	})
}

// unitsAtOnce runs more transactions than there are connections, all of them with
// statements that nobody has prepared yet.
func unitsAtOnce(t *testing.T, open Opener) {
	w := newWorld(t, open)
	var all sync.WaitGroup
	for i := range 40 {
		all.Go(func() {
			made := user.New(like(w, user.ID("")), address(t, fmt.Sprintf("many%d@example.com", i)), "", noon())
			err := w.unit.Do(t.Context(), func(tx Repos) error {
				if err := tx.Users.Save(t.Context(), made); err != nil {
					return err
				}
				_, err := tx.Users.ByID(t.Context(), made.ID())
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
