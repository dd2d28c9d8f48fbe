package contract

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/user"
)

// Transactions checks outbound.Transactions, and units of work as its savepoints.
func Transactions(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps or drops all units", w.withinAll)
	t.Run("undoes a unit that fails", w.withinPart)
	t.Run("shows itself what it did", w.withinReads)
	t.Run("nests", w.withinNested)
	t.Run("fails when it cannot commit", w.withinCanceled)
	t.Run("ends when the work panics", w.withinPanics)
	t.Run("leaves connections to others", w.withinMany)
	t.Run("pauses for what is outside", w.withinPaused)
	t.Run("pauses as often as it likes, and where there is none", w.withinPauses)
}

// add stores an account in a unit of its own, which then ends as told.
func (w *world) add(ctx context.Context, t *testing.T, mail string, outcome error) user.ID {
	t.Helper()
	made := user.New(like(w, user.ID("")), address(t, mail), "", noon())
	err := w.unit.Do(ctx, func(tx Repos) error {
		if err := tx.Users.Save(ctx, made); err != nil {
			return err
		}
		return outcome
	})
	is(t, "the unit", err, outcome)
	return made.ID()
}

func (w *world) there(t *testing.T, id user.ID) bool {
	t.Helper()
	err := w.unit.Do(t.Context(), func(tx Repos) error {
		_, err := tx.Users.ByID(t.Context(), id)
		return err
	})
	if err != nil && !errors.Is(err, user.ErrNotFound) {
		t.Fatal(err)
	}
	return err == nil
}

func (w *world) withinAll(t *testing.T) {
	for _, keep := range []bool{true, false} {
		mail := map[bool]string{true: "keep", false: "drop"}[keep]
		var first, second user.ID
		err := w.store.Within(t.Context(), func(ctx context.Context) bool {
			first = w.add(ctx, t, mail+"1@example.com", nil)
			second = w.add(ctx, t, mail+"2@example.com", nil)
			return keep
		})
		is(t, "the transaction", err, nil)
		equal(t, "both are there", []bool{w.there(t, first), w.there(t, second)}, []bool{keep, keep})
	}
}

func (w *world) withinPart(t *testing.T) {
	var kept, undone, after user.ID
	retried := 0
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		kept = w.add(ctx, t, "part1@example.com", nil)
		undone = w.add(ctx, t, "part2@example.com", errEnough)
		err := w.unit.Do(ctx, func(tx Repos) error {
			if retried++; retried < 2 {
				return aggregate.ErrConflict
			}
			found, err := tx.Users.ByID(ctx, kept)
			if err != nil {
				return err
			}
			return tx.Users.Save(ctx, user.Restore(found.Snapshot(), 0)) // aborts nothing
		})
		if !errors.Is(err, aggregate.ErrConflict) {
			t.Errorf("got %v, want ErrConflict", err)
		}
		after = w.add(ctx, t, "part3@example.com", nil)
		return true
	})
	is(t, "the transaction", err, nil)
	equal(t, "what is there", []bool{w.there(t, kept), w.there(t, undone), w.there(t, after)}, []bool{true, false, true})
}

func (w *world) withinReads(t *testing.T) {
	seen := func(ctx context.Context) bool {
		_, found, err := w.store.Accounts.ForLogin(ctx, address(t, "seen@example.com"))
		is(t, "the look-up", err, nil)
		return found
	}
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		w.add(ctx, t, "seen@example.com", nil)
		equal(t, "seen inside", seen(ctx), true)
		equal(t, "seen outside", seen(t.Context()), false)
		return true
	})
	is(t, "the transaction", err, nil)
	equal(t, "seen afterwards", seen(t.Context()), true)
}

func (w *world) withinNested(t *testing.T) {
	var outer, inner user.ID
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		outer = w.add(ctx, t, "outer@example.com", nil)
		is(t, "the inner transaction", w.store.Within(ctx, func(ctx context.Context) bool {
			inner = w.add(ctx, t, "inner@example.com", nil)
			return false
		}), nil)
		return true
	})
	is(t, "the outer transaction", err, nil)
	equal(t, "what is there", []bool{w.there(t, outer), w.there(t, inner)}, []bool{true, false})
}

func (w *world) withinCanceled(t *testing.T) {
	outer, cancel := context.WithCancel(t.Context())
	var made user.ID
	err := w.store.Within(outer, func(ctx context.Context) bool {
		made = w.add(ctx, t, "lost@example.com", nil)
		cancel()
		return true
	})
	if err == nil {
		t.Error("a commit after the end of the context is told as done")
	}
	equal(t, "it is there", w.there(t, made), false)
}

func (w *world) withinPanics(t *testing.T) {
	var made user.ID
	func() {
		defer func() { _ = recover() }()
		_ = w.store.Within(t.Context(), func(ctx context.Context) bool {
			made = w.add(ctx, t, "panicked@example.com", nil)
			panic("out of ideas")
		})
	}()
	equal(t, "it is there", w.there(t, made), false)
}

// Transactions around commands may take long. However many there are, some wait
// their turn, and what needs a connection for a moment gets one. One connection
// is all that SQLite writes with: there the others look things up.
func (w *world) withinMany(t *testing.T) {
	most := w.store.Writers
	begun, end := make(chan struct{}, 2*most), make(chan struct{})
	var working sync.WaitGroup
	for range 2 * most {
		working.Go(func() {
			err := w.store.Within(t.Context(), func(context.Context) bool {
				begun <- struct{}{}
				<-end
				return true
			})
			if err != nil {
				t.Errorf("the transaction: %v", err)
			}
		})
	}
	defer working.Wait()
	defer close(end)
	for range max(1, most/2) {
		<-begun
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	_, _, err := w.store.Accounts.ForLogin(ctx, address(t, "others@example.com"))
	is(t, "the look-up beside them", err, nil)
	if most > 1 {
		is(t, "the unit beside them", w.unit.Do(ctx, func(Repos) error { return nil }), nil)
	}
}

// withinPaused lets others write while it waits; what it did before is committed.
func (w *world) withinPaused(t *testing.T) {
	var before, meanwhile, after user.ID
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		before = w.add(ctx, t, "before@example.com", nil)
		is(t, "the pause", w.store.Pause(ctx, func() error {
			equal(t, "what was done before is there", w.there(t, before), true)
			meanwhile = w.add(t.Context(), t, "meanwhile@example.com", nil)
			return errEnough
		}), errEnough)
		after = w.add(ctx, t, "after@example.com", nil)
		return false
	})
	is(t, "the transaction", err, nil)
	equal(t, "what is there", []bool{w.there(t, before), w.there(t, meanwhile), w.there(t, after)}, []bool{true, true, false})
}

func (w *world) withinPauses(t *testing.T) {
	is(t, "a pause of nothing", w.store.Pause(t.Context(), func() error { return errEnough }), errEnough)
	most := w.store.Writers
	var made user.ID
	var pause func(ctx context.Context, left int)
	// As many as there are connections wait at once, each for the next.
	pause = func(ctx context.Context, left int) {
		err := w.store.Within(ctx, func(ctx context.Context) bool {
			for range 2 {
				is(t, "the pause", w.store.Pause(ctx, func() error {
					if left > 0 {
						pause(t.Context(), left-1)
						left = 0
					}
					return nil
				}), nil)
			}
			made = w.add(ctx, t, w.ids.UUID()+"@example.com", nil)
			return true
		})
		is(t, "the transaction", err, nil)
		equal(t, "it is there", w.there(t, made), true)
	}
	pause(t.Context(), most+1)
}
