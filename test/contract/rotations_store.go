package contract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/flow"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/session"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/ops"
)

// Rotations checks people.Rotations.
func Rotations(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("reads a session with its account", w.rotationsRead)
	t.Run("stores what a refresh changes", w.rotationsStore)
	t.Run("stores the end of a session", w.rotationsEnd)
	t.Run("refuses a stale copy", w.rotationsStale)
	t.Run("keeps to the transaction of a command", w.rotationsWithin)
	t.Run("stores the runs of flows with it", w.rotationsDecided)
	t.Run("lets one of many win", w.rotationsSame)
	t.Run("stores many at once", w.rotationsMany)
}

// refreshed begins a session, reads it and rotates the copy.
func (w *world) refreshed(t *testing.T, mail string) *session.Session {
	t.Helper()
	made := w.session(t, w.begin(w.person(t, mail).ID(), "", noon()))
	return w.rotated(t, made.ID())
}

func (w *world) rotated(t *testing.T, id session.ID) *session.Session {
	t.Helper()
	identity, err := w.store.Rotations.Read(t.Context(), id)
	held := session.Restore(identity.Session, identity.Version)
	if err == nil {
		err = held.Rotate(held.Snapshot().Refresh, "digest-2", 0, noon().Add(time.Second))
	}
	if err != nil {
		t.Fatal(err)
	}
	return held
}

// stored reads a session by its repository.
func (w *world) stored(t *testing.T, id session.ID) *session.Session {
	t.Helper()
	var found *session.Session
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Sessions.ByID(ctx, id)
		return err
	})
	return found
}

// sessionEvents lists the events about an account, newest first.
func (w *world) sessionEvents(ctx context.Context, t *testing.T, held *session.Session) []event.Record {
	t.Helper()
	found, err := w.store.AuditTrail.Search(ctx, outbound.AuditQuery{User: held.Snapshot().UserID})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func (w *world) rotationsRead(t *testing.T) {
	person := w.person(t, "read@example.com")
	org := w.team(t, true, "owner", person.ID())
	made := w.session(t, w.begin(person.ID(), org, noon()))
	identity, err := w.store.Rotations.Read(t.Context(), made.ID())
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the identity", identity, outbound.Identity{
		Session: made.Snapshot(), Version: made.Version(), User: person.Snapshot(), Held: role.MemberGrants{Org: made.Snapshot().OrgID, Grants: []workspace.Grant{{Role: "owner"}}},
	})
	if _, err := w.store.Rotations.Read(t.Context(), like(w, session.ID(""))); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("reading no session: %v", err)
	}
}

func (w *world) rotationsStore(t *testing.T) {
	held := w.refreshed(t, "rotate@example.com")
	var recorder event.Recorder
	origin := event.Origin{ActorKind: "user", ActorID: "a", Credential: "s", IP: "203.0.113.9", UserAgent: "u", RequestID: "r", Command: "AUTH.REFRESH"}
	ctx := event.WithOrigin(event.WithRecorder(t.Context(), &recorder), origin)
	if err := w.store.Rotations.Store(ctx, held); err != nil {
		t.Fatal(err)
	}
	stored := w.stored(t, held.ID())
	equal(t, "the stored session", stored.Snapshot(), held.Snapshot())
	equal(t, "the stored version", stored.Version(), int64(2))
	equal(t, "the version of the copy", held.Version(), stored.Version())
	equal(t, "that nothing is left to store", held.Changed(), false)
	equal(t, "what was recorded", recorder.Kinds, []event.Kind{session.KindRefreshed})
	last := w.sessionEvents(t.Context(), t, held)[0]
	equal(t, "the event", last.Kind, session.KindRefreshed)
	equal(t, "its origin", last.Origin, origin)
	if err := held.Rotate("digest-2", "digest-3", 0, noon().Add(2*time.Second)); err != nil {
		t.Fatal(err)
	}
	if err := w.store.Rotations.Store(t.Context(), held); err != nil {
		t.Errorf("the same copy again: %v", err)
	}
}

func (w *world) rotationsEnd(t *testing.T) {
	held := w.session(t, w.begin(w.person(t, "reuse@example.com").ID(), "", noon()))
	if err := held.Rotate("stolen", "digest-2", 0, noon()); !errors.Is(err, session.ErrReused) {
		t.Fatal(err)
	}
	if err := w.store.Rotations.Store(t.Context(), held); err != nil {
		t.Fatal(err)
	}
	equal(t, "the stored session", w.stored(t, held.ID()).Snapshot(), held.Snapshot())
	events := w.sessionEvents(t.Context(), t, held)
	equal(t, "the events", []event.Kind{events[0].Kind, events[1].Kind}, []event.Kind{session.KindRevoked, session.KindReuseDetected})
	due := noon().Add(7 * 24 * time.Hour)
	for want, now := range []time.Time{due.Add(-time.Microsecond), due} {
		removed, err := w.store.Upkeep.Purge(t.Context(), ops.PurgeSessions, now)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the ended sessions that are due at "+now.String(), removed, want)
	}
	if _, err := w.store.Rotations.Read(t.Context(), held.ID()); !errors.Is(err, session.ErrNotFound) {
		t.Errorf("reading what was purged: %v", err)
	}
}

func (w *world) rotationsStale(t *testing.T) {
	one := w.refreshed(t, "stale-rotation@example.com")
	other := w.rotated(t, one.ID())
	if err := w.store.Rotations.Store(t.Context(), one); err != nil {
		t.Fatal(err)
	}
	recordedBefore := len(w.sessionEvents(t.Context(), t, one))
	var recorder event.Recorder
	err := w.store.Rotations.Store(event.WithRecorder(t.Context(), &recorder), other)
	if !errors.Is(err, aggregate.ErrConflict) {
		t.Errorf("storing a stale copy: %v", err)
	}
	equal(t, "the events of the stale copy", len(w.sessionEvents(t.Context(), t, one)), recordedBefore)
	equal(t, "what was recorded of it", len(recorder.Kinds), 0)
	equal(t, "that it keeps its events", other.Changed(), true)
}

func (w *world) rotationsWithin(t *testing.T) {
	held := w.refreshed(t, "within@example.com")
	for _, keep := range []bool{false, true} {
		var recorder event.Recorder
		copied := *held
		err := w.store.Within(event.WithRecorder(t.Context(), &recorder), func(ctx context.Context) bool {
			if err := w.store.Rotations.Store(ctx, &copied); err != nil {
				t.Error(err)
			}
			again, err := w.store.Rotations.Read(ctx, held.ID())
			if err != nil || again.Version != 2 {
				t.Errorf("the transaction does not see its own rotation: %v", err)
			}
			stale := *held
			if err := w.store.Rotations.Store(ctx, &stale); !errors.Is(err, aggregate.ErrConflict) {
				t.Errorf("storing a stale copy: %v", err)
			}
			equal(t, "the newest event", w.sessionEvents(ctx, t, held)[0].Kind, session.KindRefreshed)
			return keep
		})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, fmt.Sprintf("that it was stored, kept %t", keep), w.stored(t, held.ID()).Version() == 2, keep)
		equal(t, "what was recorded", recorder.Kinds, []event.Kind{session.KindRefreshed})
	}
}

func (w *world) rotationsDecided(t *testing.T) {
	person := w.person(t, "decided-rotation@example.com").ID()
	held := make([]*session.Session, 4)
	for i := range held {
		held[i] = w.rotated(t, w.session(t, w.begin(person, "", noon())).ID())
	}
	w.decided(t, person, func(ctx context.Context, can bool, decidedBy ...flow.Run) error {
		one := held[0]
		held = held[1:]
		if !can {
			is(t, "another copy", w.store.Rotations.Store(ctx, w.rotated(t, one.ID())), nil)
		}
		return w.store.Rotations.Store(ctx, one, decidedBy...)
	})
}

// rotationsSame stores copies of one session while others keep the store busy, so
// that the copies leave together.
func (w *world) rotationsSame(t *testing.T) {
	const many, pause = 16, 50 * time.Millisecond
	first := w.refreshed(t, "same@example.com")
	busy := []*session.Session{w.refreshed(t, "busy1@example.com"), w.refreshed(t, "busy2@example.com")}
	var copies []*session.Session
	for range many {
		copies = append(copies, w.rotated(t, first.ID()))
	}
	var won atomic.Int64
	var all sync.WaitGroup
	store := func(held *session.Session) {
		err := w.store.Rotations.Store(t.Context(), held)
		switch {
		case err == nil:
			won.Add(1)
		case !errors.Is(err, aggregate.ErrConflict):
			t.Error(err)
		}
	}
	w.fails(t, errEnough, func(ctx context.Context, tx Repos) error {
		for _, one := range busy {
			if err := tx.Sessions.Save(ctx, session.Restore(one.Snapshot(), one.Version())); err != nil {
				return err
			}
			all.Go(func() { store(one) })
		}
		time.Sleep(pause)
		for _, held := range copies {
			all.Go(func() { store(held) })
		}
		time.Sleep(pause)
		return errEnough
	})
	all.Wait()
	equal(t, "how many won: one copy, and the busy ones", won.Load(), int64(1+len(busy)))
	equal(t, "the version", w.stored(t, first.ID()).Version(), int64(2))
}

func (w *world) rotationsMany(t *testing.T) {
	const many = 30
	var all sync.WaitGroup
	held := make([]*session.Session, many)
	for i := range held {
		held[i] = w.refreshed(t, fmt.Sprintf("together%d@example.com", i))
	}
	for i, one := range held {
		all.Go(func() {
			ctx := event.WithOrigin(t.Context(), event.Origin{ActorKind: "user", RequestID: fmt.Sprint(i)})
			if err := w.store.Rotations.Store(ctx, one); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for i, one := range held {
		equal(t, "the stored session", w.stored(t, one.ID()).Snapshot(), one.Snapshot())
		last := w.sessionEvents(t.Context(), t, one)[0]
		equal(t, "its event", last.Kind, session.KindRefreshed)
		equal(t, "the request of its event", last.Origin.RequestID, fmt.Sprint(i))
	}
}
