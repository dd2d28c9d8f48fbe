package contract

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/ports/outbound/ops"
)

// KeyRing checks ops.KeyRing.
func KeyRing(t *testing.T, open Opener) {
	t.Run("keeps every field", func(t *testing.T) { newWorld(t, open).keysRoundTrip(t) })
	t.Run("refuses a stale copy", func(t *testing.T) { newWorld(t, open).keysStale(t) })
	t.Run("lets one of two first starts make it", func(t *testing.T) { newWorld(t, open).keysFirst(t) })
	t.Run("opens with its own secret alone", func(t *testing.T) { newWorld(t, open).keysWrongSecret(t) })
}

func (w *world) ring(t *testing.T) (ring *signingkey.Ring) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		ring, err = tx.KeyRing.Load(ctx)
		return err
	})
	return ring
}

func freshRing() *signingkey.Ring {
	active := signingkey.Key{KID: "active", Algorithm: signingkey.ES256, Private: []byte("\x00der of active"), CreatedAt: noon()}
	next := signingkey.Key{KID: "a-next", Algorithm: signingkey.RS256, Private: []byte("der of next"), CreatedAt: noon()}
	return signingkey.NewRing(active, next, noon())
}

func (w *world) keysRoundTrip(t *testing.T) {
	if w.ring(t) != nil {
		t.Error("there is a ring in a fresh store")
	}
	full := signingkey.Snapshot{
		Keys: []signingkey.Key{
			{KID: "z-old", Algorithm: signingkey.RS256, Private: []byte{0, 255, 1}, CreatedAt: noon(), ActivatedAt: noon().Add(1000), OverlapUntil: noon().Add(2000), RevokedAt: noon().Add(3000)},
			{KID: "a-new", Algorithm: signingkey.ES256, Private: []byte("der"), CreatedAt: noon(), ActivatedAt: noon()},
			{KID: "b-new", Algorithm: signingkey.RS256, Private: []byte("der3"), CreatedAt: noon(), ActivatedAt: noon()},
			{KID: "m-next", Algorithm: signingkey.ES256, Private: []byte("der2"), CreatedAt: noon()},
		},
		Signs:    signingkey.RS256,
		Schedule: signingkey.Schedule{EveryDays: 90, Algorithm: signingkey.RS256, OverlapHours: 24},
		RotateAt: noon().Add(time.Hour),
	}
	fewer := signingkey.Snapshot{Keys: full.Keys[1:], Signs: signingkey.ES256, Schedule: signingkey.Schedule{Algorithm: signingkey.ES256}}
	for version, want := range []signingkey.Snapshot{full, fewer} {
		w.moves(t, 1, func(ctx context.Context, tx Repos) error {
			return tx.KeyRing.Save(ctx, signingkey.Restore(want, int64(version)))
		})
		got := w.ring(t)
		equal(t, "the ring", got.Snapshot(), want)
		equal(t, "its version", got.Version(), int64(version+1))
		loaded := w.instance(t.Context(), t).Keys
		equal(t, "the ring with the instance", loaded.Snapshot(), want)
		equal(t, "its version with the instance", loaded.Version(), int64(version+1))
	}
}

func (w *world) keysStale(t *testing.T) {
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.KeyRing.Save(ctx, freshRing()) })
	one, other := w.ring(t), w.ring(t)
	fresh := signingkey.Key{KID: "fresh", Algorithm: signingkey.ES256, Private: []byte("der"), CreatedAt: noon()}
	var recorder event.Recorder
	one.Rotate(fresh, time.Hour, noon())
	ctx := event.WithRecorder(t.Context(), &recorder)
	is(t, "the rotation", w.unit.Do(ctx, func(tx Repos) error { return tx.KeyRing.Save(ctx, one) }), nil)
	equal(t, "its events", recorder.Kinds, []event.Kind{signingkey.KindRotated})
	other.Rotate(fresh, time.Hour, noon())
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.KeyRing.Save(ctx, other) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.KeyRing.Save(ctx, freshRing()) })
	equal(t, "the ring", w.ring(t).Snapshot(), one.Snapshot())
}

func (w *world) keysFirst(t *testing.T) {
	start := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			ring, err := tx.KeyRing.Load(t.Context())
			if err != nil || ring != nil {
				held()
				return err
			}
			err = tx.KeyRing.Save(t.Context(), freshRing())
			if !errors.Is(err, aggregate.ErrConflict) {
				held()
			}
			return err
		})
	}
	inTurn(t, start, start)
	equal(t, "the version", w.ring(t).Version(), int64(1))
}

func (w *world) keysWrongSecret(t *testing.T) {
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.KeyRing.Save(ctx, freshRing()) })
	wrong := Defaults(t)
	wrong.Secrets = cipher.FromSecret("another secret of the same length, or so", "test", system.Random{})
	stranger := openWorld(t, w.again, wrong)
	_, err := stranger.store.Instance.Load(t.Context())
	is(t, "loading with another secret", err, ops.ErrSigningKey)
	stranger.fails(t, ops.ErrSigningKey, func(ctx context.Context, tx Repos) error {
		_, err := tx.KeyRing.Load(ctx)
		return err
	})
	equal(t, "the ring", w.ring(t).Snapshot(), freshRing().Snapshot())
}
