package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/dpop"
	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// DPoPBindings checks outbound.DPoPBindings.
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
	unit := sqlstore.NewUnit(w.store, func(tx *sqlstore.Tx) outbound.Apps { return tx.Apps() })
	if err := unit.Do(t.Context(), func(apps outbound.Apps) error { return apps.Save(t.Context(), made) }); err != nil {
		t.Fatal(err)
	}
	return made.ID()
}

func (w *world) bound(owner dpop.Owner) dpop.Snapshot {
	return dpop.Snapshot{
		ID: like(w, dpop.ID("")), Owner: owner, Thumbprint: "jkt", PublicJWK: []byte(`{"kty":"OKP"}`), Name: "laptop",
		CreatedAt: noon(), ExpiresAt: noon().Add(time.Hour),
	}
}

// binding stores a binding and gives a copy of it as it was read back.
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
	found, err := w.store.AuditTrail().Search(t.Context(), outbound.AuditQuery{User: person, Org: org})
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
	unit := sqlstore.NewUnit(w.store, func(tx *sqlstore.Tx) outbound.Apps { return tx.Apps() })
	err := unit.Do(t.Context(), func(apps outbound.Apps) error {
		found, err := apps.ByID(t.Context(), machine)
		if err != nil {
			return err
		}
		return apps.Delete(t.Context(), found)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []dpop.ID{ofUser, ofApp} {
		w.fails(t, dpop.ErrNotFound, func(ctx context.Context, tx Repos) error {
			_, err := tx.Bindings.ByID(ctx, id)
			return err
		})
	}
}
