package contract

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/ports/outbound"
)

// BindingDirectory checks outbound.BindingDirectory.
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
	type query = outbound.BindingQuery
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
		got, err := w.store.BindingDirectory().List(t.Context(), c.query)
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
		got, err := w.store.BindingDirectory().Live(t.Context(), id, owner)
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
