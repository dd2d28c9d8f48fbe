package contract

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
)

// LastUses checks machines.LastUses.
func LastUses(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("notes a use once a minute", w.lastUsesPause)
	t.Run("never goes back in time", w.lastUsesForward)
	t.Run("takes many at once", w.lastUsesTogether)
	t.Run("goes with the transaction around it", w.lastUsesWithin)
}

// touch notes a use.
func (w *world) touch(t *testing.T, subject string) {
	t.Helper()
	if err := w.store.LastUses.Touch(t.Context(), subject); err != nil {
		t.Fatal(err)
	}
}

// used returns when a use was noted, after noon; it is negative when none was.
func (w *world) used(t *testing.T, subject string) time.Duration {
	t.Helper()
	found, err := w.store.AppDirectory.SecretUses(t.Context(), []app.SecretID{app.SecretID(subject)})
	is(t, "the uses", err, nil)
	if at, there := found[app.SecretID(subject)]; there {
		return at.Sub(noon())
	}
	return -1
}

// at moves the clock to a time after noon.
func (w *world) at(after time.Duration) { w.clock.move(noon().Add(after).Sub(w.clock.Now())) }

func (w *world) lastUsesPause(t *testing.T) {
	defer w.at(0)
	w.touch(t, "paused")
	equal(t, "the first use", w.used(t, "paused"), time.Duration(0))
	w.at(time.Minute - time.Microsecond)
	w.touch(t, "paused")
	equal(t, "a use within the minute", w.used(t, "paused"), time.Duration(0))
	w.at(time.Minute)
	w.touch(t, "paused")
	equal(t, "a use a minute later", w.used(t, "paused"), time.Minute)
	w.at(time.Hour)
	w.touch(t, "paused")
	equal(t, "a use an hour later", w.used(t, "paused"), time.Hour)
	equal(t, "what nobody used", w.used(t, "unused"), time.Duration(-1))
}

func (w *world) lastUsesForward(t *testing.T) {
	defer w.at(0)
	w.touch(t, "forward")
	w.at(-time.Hour)
	w.touch(t, "forward")
	equal(t, "the use by a clock that is behind", w.used(t, "forward"), time.Duration(0))
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		if err := w.store.LastUses.Touch(ctx, "forward"); err != nil {
			t.Error(err)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "its use in a transaction", w.used(t, "forward"), time.Duration(0))
}

func (w *world) lastUsesTogether(t *testing.T) {
	const subjects, callers = 20, 200
	var all sync.WaitGroup
	for i := range callers {
		all.Go(func() {
			if err := w.store.LastUses.Touch(t.Context(), fmt.Sprint("together ", i%subjects)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i := range subjects {
		equal(t, "a use among many", w.used(t, fmt.Sprint("together ", i)), time.Duration(0))
	}
}

func (w *world) lastUsesWithin(t *testing.T) {
	for _, keep := range []bool{false, true} {
		err := w.store.Within(t.Context(), func(ctx context.Context) bool {
			if err := w.store.LastUses.Touch(ctx, "within"); err != nil {
				t.Error(err)
			}
			return keep
		})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprint("that the use was kept with ", keep), w.used(t, "within") == 0, keep)
	}
}
