package contract

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/ports/outbound/ops"
)

// Proofs checks machines.Proofs.
func Proofs(t *testing.T, open Opener) {
	database := open(t)
	w := openWorld(t, database, Defaults(t))
	t.Run("takes a key once", w.proofsOnce)
	t.Run("shares them with other replicas", func(t *testing.T) { w.proofsReplicas(t, openWorld(t, database, Defaults(t))) })
	t.Run("lets one of many win", w.proofsSame)
	t.Run("takes many at once", w.proofsMany)
	t.Run("belongs to the transaction of a command", w.proofsWithin)
	t.Run("keeps the time of expiry", func(t *testing.T) { newWorld(t, open).proofsExpiry(t) })
}

// use takes a key, and fails the test unless it was as fresh as it should.
func (w *world) use(ctx context.Context, t *testing.T, key string, want bool) {
	t.Helper()
	fresh, err := w.store.Proofs.Use(ctx, key, noon().Add(time.Minute))
	if err != nil || fresh != want {
		t.Errorf("Use(%q) = %t, %v, want %t", key, fresh, err, want)
	}
}

func (w *world) proofsOnce(t *testing.T) {
	for _, key := range []string{"one", "One", `{"a,b"}`, "", "NULL"} {
		w.use(t.Context(), t, key, true)
		w.use(t.Context(), t, key, false)
	}
	equal(t, "the stored keys", w.purge(t, ops.PurgeProofs, noon().Add(time.Minute)), 5)
}

func (w *world) proofsReplicas(t *testing.T, other *world) {
	w.use(t.Context(), t, "replica", true)
	other.use(t.Context(), t, "replica", false)
}

// contend has callers take keys while a transaction of a command keeps the store
// from it, so that they leave together, and returns how many of them were fresh.
func (w *world) contend(t *testing.T, gate string, callers int, key func(i int) string) int64 {
	t.Helper()
	const pause = 50 * time.Millisecond
	var won atomic.Int64
	var all sync.WaitGroup
	take := func(key string) {
		fresh, err := w.store.Proofs.Use(t.Context(), key, noon().Add(time.Minute))
		if err != nil {
			t.Error(err)
		}
		if fresh {
			won.Add(1)
		}
	}
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		w.use(ctx, t, gate, true)
		all.Go(func() { take(gate) })
		time.Sleep(pause)
		for i := range callers {
			all.Go(func() { take(key(i)) })
		}
		time.Sleep(pause)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	all.Wait()
	return won.Load()
}

func (w *world) proofsSame(t *testing.T) {
	equal(t, "how many won", w.contend(t, "gate1", 32, func(int) string { return "same" }), int64(1))
}

func (w *world) proofsMany(t *testing.T) {
	const many, twins = 100, 2
	won := w.contend(t, "gate2", many*twins, func(i int) string { return fmt.Sprint("many", i%many) })
	equal(t, "how many won", won, int64(many))
}

func (w *world) proofsWithin(t *testing.T) {
	for _, keep := range []bool{false, true} {
		err := w.store.Within(t.Context(), func(ctx context.Context) bool {
			w.use(ctx, t, "within", true)
			w.use(ctx, t, "within", false)
			return keep
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	w.use(t.Context(), t, "within", false)
}

func (w *world) proofsExpiry(t *testing.T) {
	w.use(t.Context(), t, "expiry", true)
	w.dueAt(t, ops.PurgeProofs, noon().Add(time.Minute))
}
