package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/device"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// Devices checks signin.Devices and signin.DeviceDirectory.
func Devices(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.devicesRoundTrip)
	t.Run("recognizes a live one of its owner", w.devicesRecognized)
	t.Run("lists those of an owner that are live", w.devicesHeld)
	t.Run("makes one owner's calls wait", w.devicesTurn)
	t.Run("forgets one, and says so", w.devicesRemoved)
	t.Run("forgets all", w.devicesRevoked)
	t.Run("goes with the owner", w.devicesGone)
	t.Run("removes those that have ended", func(t *testing.T) { w.devicesPurged(t, open) })
}

// remembered makes a device of an owner that lasts an hour, not stored yet.
func (w *world) remembered(owner user.ID) device.Snapshot {
	return device.Snapshot{
		ID: like(w, device.ID("")), UserID: owner, Digest: w.ids.UUID(), Name: "läptop", IP: "203.0.113.7", UserAgent: "curl/8.5",
		CreatedAt: noon(), ExpiresAt: noon().Add(time.Hour),
	}
}

// device stores a device.
func (w *world) device(t *testing.T, s device.Snapshot) device.Snapshot {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Devices.Save(ctx, device.Restore(s, 0)) })
	return s
}

// readDevice returns a device as it was read back.
func (w *world) readDevice(t *testing.T, id device.ID) *device.Device {
	t.Helper()
	var found *device.Device
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Devices.ByID(ctx, id)
		return err
	})
	return found
}

func (w *world) devicesRoundTrip(t *testing.T) {
	person := w.person(t, "device@example.com").ID()
	full := w.remembered(person)
	full.LastUsedAt = noon().Add(time.Microsecond)
	bare := device.Snapshot{ID: like(w, device.ID("")), UserID: person, CreatedAt: noon(), ExpiresAt: noon()}
	for _, want := range []device.Snapshot{full, bare} {
		got := w.readDevice(t, w.device(t, want).ID)
		equal(t, "the device", got.Snapshot(), want)
		equal(t, "its version", got.Version(), int64(1))
	}
	w.fails(t, device.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Devices.ByID(ctx, like(w, device.ID("")))
		return err
	})
}

func (w *world) devicesRecognized(t *testing.T) {
	ada, bob := w.person(t, "ada-device@example.com").ID(), w.person(t, "bob-device@example.com").ID()
	held := w.device(t, w.remembered(ada))
	recognize := func(what string, owner user.ID, digest string, now time.Time, want bool) {
		t.Helper()
		w.do(t, func(ctx context.Context, tx Repos) error {
			got, err := tx.Devices.Recognize(ctx, owner, digest, held.CreatedAt.Add(-time.Microsecond), now)
			equal(t, what, got, want)
			return err
		})
	}
	recognize("another token", ada, "other", noon(), false)
	recognize("no token", ada, "", noon(), false)
	recognize("somebody else's", bob, held.Digest, noon(), false)
	recognize("one that ends now", ada, held.Digest, held.ExpiresAt, false)
	equal(t, "its last use", w.readDevice(t, held.ID).Snapshot().LastUsedAt, time.Time{})
	w.do(t, func(ctx context.Context, tx Repos) error {
		got, err := tx.Devices.Recognize(ctx, ada, held.Digest, held.CreatedAt, noon())
		equal(t, "one that was remembered too long ago", got, false)
		return err
	})
	last := held.ExpiresAt.Add(-time.Microsecond)
	recognize("a live one", ada, held.Digest, last, true)
	equal(t, "its last use", w.readDevice(t, held.ID).Snapshot().LastUsedAt, last)
}

// devicesOf are the devices of an owner by both ways, which agree.
func (w *world) devicesOf(t *testing.T, owner user.ID, now time.Time) []device.ID {
	t.Helper()
	ids := []device.ID{}
	var held []device.Snapshot
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Devices.Held(ctx, owner, now)
		ids, held = []device.ID{}, []device.Snapshot{}
		for _, one := range found {
			ids, held = append(ids, one.ID()), append(held, one.Snapshot())
		}
		return err
	})
	read, err := w.store.DeviceDirectory.List(t.Context(), owner, now)
	is(t, "the list", err, nil)
	equal(t, "the list", read, held)
	return ids
}

func (w *world) devicesHeld(t *testing.T) {
	ada, bob := w.person(t, "ada-devices@example.com").ID(), w.person(t, "bob-devices@example.com").ID()
	first, ended := w.device(t, w.remembered(ada)), w.remembered(ada)
	ended.ExpiresAt = noon().Add(time.Minute)
	w.device(t, ended)
	own, last := w.device(t, w.remembered(bob)), w.device(t, w.remembered(ada))
	equal(t, "all", w.devicesOf(t, ada, noon()), []device.ID{last.ID, ended.ID, first.ID})
	equal(t, "once one has ended", w.devicesOf(t, ada, ended.ExpiresAt), []device.ID{last.ID, first.ID})
	equal(t, "another's", w.devicesOf(t, bob, noon()), []device.ID{own.ID})
	equal(t, "nobody's", w.devicesOf(t, "", noon()), []device.ID{})
}

func (w *world) devicesTurn(t *testing.T) {
	person := w.person(t, "turn-device@example.com").ID()
	ask := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			if _, err := tx.Devices.Held(t.Context(), person, noon()); err != nil {
				return err
			}
			held()
			return nil
		})
	}
	revoke := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			if err := tx.Devices.RevokeAll(t.Context(), person); err != nil {
				return err
			}
			held()
			return nil
		})
	}
	inTurn(t, ask, revoke)
	inTurn(t, revoke, ask)
}

func (w *world) devicesRemoved(t *testing.T) {
	person := w.person(t, "removed-device@example.com").ID()
	kept, gone := w.device(t, w.remembered(person)), w.device(t, w.remembered(person))
	one, other := w.readDevice(t, gone.ID), w.readDevice(t, gone.ID)
	one.Revoke()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Devices.Remove(ctx, one) })
	other.Revoke()
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Devices.Remove(ctx, other) })
	equal(t, "what is left", w.devicesOf(t, person, noon()), []device.ID{kept.ID})
	equal(t, "the events", w.kindsAbout(t, person), []event.Kind{device.KindRevoked})
}

// kindsAbout are the kinds of the events that concern a person, newest first, but
// for the account itself.
func (w *world) kindsAbout(t *testing.T, person user.ID) []event.Kind {
	t.Helper()
	found, err := w.store.AuditTrail.Search(t.Context(), outbound.AuditQuery{User: person})
	is(t, "the events", err, nil)
	kinds := []event.Kind{}
	for _, record := range found {
		if record.Kind != user.KindCreated {
			kinds = append(kinds, record.Kind)
		}
	}
	return kinds
}

func (w *world) devicesRevoked(t *testing.T) {
	ada, bob := w.person(t, "ada-revoked@example.com").ID(), w.person(t, "bob-revoked@example.com").ID()
	gone, own := w.device(t, w.remembered(ada)), w.device(t, w.remembered(bob))
	w.device(t, w.remembered(ada))
	for range 2 {
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Devices.RevokeAll(ctx, ada) })
	}
	equal(t, "what is left", w.devicesOf(t, ada, noon()), []device.ID{})
	equal(t, "another's", w.devicesOf(t, bob, noon()), []device.ID{own.ID})
	equal(t, "the events", w.kindsAbout(t, ada), []event.Kind{})
	w.do(t, func(ctx context.Context, tx Repos) error {
		got, err := tx.Devices.Recognize(ctx, ada, gone.Digest, noon().Add(-time.Hour), noon())
		equal(t, "whether it is recognized", got, false)
		return err
	})
}

func (w *world) devicesGone(t *testing.T) {
	person := w.person(t, "gone-device@example.com")
	held := w.device(t, w.remembered(person.ID()))
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, person) })
	w.fails(t, device.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Devices.ByID(ctx, held.ID)
		return err
	})
}

func (w *world) devicesPurged(t *testing.T, open Opener) {
	w = newWorld(t, open)
	held := w.device(t, w.remembered(w.person(t, "purged-device@example.com").ID()))
	w.dueAt(t, ops.PurgeDevices, held.ExpiresAt)
}
