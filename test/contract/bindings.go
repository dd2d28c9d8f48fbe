package contract

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// DPoPBindings checks machines.DPoPBindings.
func DPoPBindings(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.bindingsRoundTrip)
	t.Run("refuses a stale copy", w.bindingsStale)
	t.Run("stores what happened", w.bindingsEvents)
	t.Run("holds those of an owner that are live", w.bindingsHeld)
	t.Run("makes one owner's registrations wait", w.bindingsTurn)
	t.Run("needs an owner", w.bindingsOrphan)
	t.Run("goes with the owner", w.bindingsGone)
}

// app stores an app of a workspace of its own.
func (w *world) app(t *testing.T, slug string) app.ID {
	t.Helper()
	org := w.team(t, false, "owner", w.person(t, slug+"-owner@example.com").ID())
	made := app.Restore(app.Snapshot{
		ID: app.ID(w.ids.UUID()), OrgID: org, Slug: slug, Name: slug, Type: app.Service, CreatedAt: noon(), UpdatedAt: noon(),
	}, 0)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Apps.Save(ctx, made) })
	return made.ID()
}

func (w *world) bound(owner dpop.Owner) dpop.Snapshot {
	return dpop.Snapshot{
		ID: like(w, dpop.ID("")), Owner: owner, Thumbprint: "jkt", PublicJWK: []byte(`{"kty":"OKP"}`), Name: "laptop",
		CreatedAt: noon(), ExpiresAt: noon().Add(time.Hour),
	}
}

// binding stores a binding and returns a copy of it as it was read back.
func (w *world) binding(t *testing.T, s dpop.Snapshot, version int64) *dpop.Binding {
	t.Helper()
	var found *dpop.Binding
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		if err := tx.Bindings.Save(ctx, dpop.Restore(s, version)); err != nil {
			return err
		}
		found, err = tx.Bindings.ByID(ctx, s.ID)
		return err
	})
	return found
}

func (w *world) bindingsRoundTrip(t *testing.T) {
	person := w.person(t, "binding@example.com").ID()
	full := w.bound(dpop.Owner{User: person})
	full.RevokedAt = noon().Add(time.Microsecond)
	bare := dpop.Snapshot{
		ID: full.ID, Owner: dpop.Owner{App: w.app(t, "binding")}, PublicJWK: []byte{},
		CreatedAt: noon(), ExpiresAt: noon(),
	}
	for version, want := range []dpop.Snapshot{full, bare} {
		got := w.binding(t, want, int64(version))
		equal(t, "the binding", got.Snapshot(), want)
		equal(t, "its version", got.Version(), int64(version+1))
	}
	w.fails(t, dpop.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Bindings.ByID(ctx, like(w, dpop.ID("")))
		return err
	})
}

func (w *world) bindingsStale(t *testing.T) {
	one := w.binding(t, w.bound(dpop.Owner{User: w.person(t, "stale-binding@example.com").ID()}), 0)
	other := dpop.Restore(one.Snapshot(), one.Version())
	one.Revoke("", noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Bindings.Save(ctx, one) })
	other.Revoke("", noon())
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Bindings.Save(ctx, other) })
}

func (w *world) bindingsEvents(t *testing.T) {
	person, org := w.person(t, "told-binding@example.com").ID(), like(w, workspace.ID(""))
	made, err := dpop.Register(dpop.Registration{
		ID: like(w, dpop.ID("")), Owner: dpop.Owner{User: person}, Org: org, Thumbprint: "jkt", Life: time.Hour,
	}, nil, noon())
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Bindings.Save(ctx, made) })
		made.Revoke(org, noon())
	}
	found, err := w.store.AuditTrail.Search(t.Context(), outbound.AuditQuery{User: person, Org: org})
	if err != nil {
		t.Fatal(err)
	}
	kinds := []event.Kind{}
	for _, record := range found {
		kinds = append(kinds, record.Kind)
	}
	equal(t, "the events", kinds, []event.Kind{dpop.KindRevoked, dpop.KindRegistered})
}

func (w *world) bindingsHeld(t *testing.T) {
	ada, bob := dpop.Owner{User: w.person(t, "ada-held@example.com").ID()}, dpop.Owner{User: w.person(t, "bob-held@example.com").ID()}
	machine := dpop.Owner{App: w.app(t, "held")}
	store := func(owner dpop.Owner, change func(*dpop.Snapshot)) dpop.ID {
		s := w.bound(owner)
		change(&s)
		return w.binding(t, s, 0).ID()
	}
	plain := func(*dpop.Snapshot) {}
	first, last := store(ada, plain), store(ada, func(s *dpop.Snapshot) { s.ExpiresAt = noon().Add(time.Microsecond) })
	store(ada, func(s *dpop.Snapshot) { s.ExpiresAt = noon() })
	store(ada, func(s *dpop.Snapshot) { s.RevokedAt = noon() })
	own := store(machine, plain)
	for _, c := range []struct {
		what  string
		owner dpop.Owner
		want  []dpop.ID
	}{
		{"a user's", ada, []dpop.ID{last, first}},
		{"another user's", bob, []dpop.ID{}},
		{"an app's", machine, []dpop.ID{own}},
	} {
		ids := []dpop.ID{}
		w.do(t, func(ctx context.Context, tx Repos) error {
			held, err := tx.Bindings.Held(ctx, c.owner, noon())
			ids = ids[:0]
			for _, s := range held {
				ids = append(ids, s.ID)
			}
			return err
		})
		equal(t, c.what, ids, c.want)
	}
}

func (w *world) bindingsTurn(t *testing.T) {
	for _, owner := range []dpop.Owner{{User: w.person(t, "turn@example.com").ID()}, {App: w.app(t, "turn")}} {
		register := func(held func()) error {
			return w.unit.Do(t.Context(), func(tx Repos) error {
				if _, err := tx.Bindings.Held(t.Context(), owner, noon()); err != nil {
					return err
				}
				held()
				return nil
			})
		}
		inTurn(t, register, register)
	}
}

func (w *world) bindingsOrphan(t *testing.T) {
	for _, owner := range []dpop.Owner{{User: like(w, user.ID(""))}, {App: app.ID(w.ids.UUID())}} {
		w.fails(t, dpop.ErrNoOwner, func(ctx context.Context, tx Repos) error {
			_, err := tx.Bindings.Held(ctx, owner, noon())
			return err
		})
	}
}

func (w *world) bindingsGone(t *testing.T) {
	person := w.person(t, "gone-binding@example.com")
	machine := w.app(t, "gone")
	ofUser := w.binding(t, w.bound(dpop.Owner{User: person.ID()}), 0).ID()
	ofApp := w.binding(t, w.bound(dpop.Owner{App: machine}), 0).ID()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, person) })
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Apps.ByID(ctx, machine)
		if err != nil {
			return err
		}
		return tx.Apps.Delete(ctx, found)
	})
	for _, id := range []dpop.ID{ofUser, ofApp} {
		w.fails(t, dpop.ErrNotFound, func(ctx context.Context, tx Repos) error {
			_, err := tx.Bindings.ByID(ctx, id)
			return err
		})
	}
}

// BindingDirectory checks machines.BindingDirectory.
func BindingDirectory(t *testing.T, open Opener) {
	w := newWorld(t, open)
	ada, machine := dpop.Owner{User: w.person(t, "ada@example.com").ID()}, dpop.Owner{App: w.app(t, "machine")}
	var stored []dpop.Snapshot
	for _, change := range []func(*dpop.Snapshot){
		func(*dpop.Snapshot) {},
		func(s *dpop.Snapshot) { s.ExpiresAt = noon().Add(time.Minute) },
		func(s *dpop.Snapshot) { s.RevokedAt = noon() },
		func(s *dpop.Snapshot) { s.Owner = machine },
	} {
		s := w.bound(ada)
		change(&s)
		stored = append(stored, w.binding(t, s, 0).Snapshot())
	}
	t.Run("lists those of an owner", func(t *testing.T) { w.bindingsList(t, stored) })
	t.Run("finds a live one", func(t *testing.T) { w.bindingsLive(t, stored) })
}

func (w *world) bindingsList(t *testing.T, stored []dpop.Snapshot) {
	ada, machine := stored[0].Owner, stored[3].Owner
	type query = machines.BindingQuery
	for _, c := range []struct {
		what  string
		query query
		want  []int
	}{
		{"a user's", query{Owner: ada}, []int{2, 1, 0}},
		{"one page", query{Owner: ada, Limit: 2}, []int{2, 1}},
		{"the next page", query{Owner: ada, Limit: 2, Before: stored[1].ID}, []int{0}},
		{"an app's", query{Owner: machine}, []int{3}},
		{"nobody's", query{}, []int{}},
	} {
		want := []dpop.Snapshot{}
		for _, i := range c.want {
			want = append(want, stored[i])
		}
		got, err := w.store.BindingDirectory.List(t.Context(), c.query)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, c.what, got, want)
	}
}

func (w *world) bindingsLive(t *testing.T, stored []dpop.Snapshot) {
	ada, machine := stored[0].Owner, stored[3].Owner
	live := func(what string, id dpop.ID, owner dpop.Owner, want error) {
		t.Helper()
		got, err := w.store.BindingDirectory.Live(t.Context(), id, owner)
		if !errors.Is(err, want) {
			t.Fatalf("%s: got %v, want %v", what, err, want)
		}
		if want == nil && got.ID != id {
			t.Errorf("%s: found %s, want %s", what, got.ID, id)
		}
	}
	live("a user's", stored[1].ID, ada, nil)
	live("an app's", stored[3].ID, machine, nil)
	live("somebody else's", stored[0].ID, machine, dpop.ErrNotFound)
	live("nobody's", stored[0].ID, dpop.Owner{}, dpop.ErrNotFound)
	live("an absent one", like(w, dpop.ID("")), ada, dpop.ErrNotFound)
	live("a revoked one", stored[2].ID, ada, dpop.ErrNotFound)
	w.clock.move(time.Minute)
	live("one that ends now", stored[1].ID, ada, dpop.ErrNotFound)
	live("one that lasts longer", stored[0].ID, ada, nil)
}
