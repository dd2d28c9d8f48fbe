package contract

import (
	"context"
	"testing"

	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
)

// WaysIn checks signin.WaysIn.
func WaysIn(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("counts each way in", w.waysCounted)
	t.Run("makes those who ask wait", w.waysTurn)
	t.Run("lets nobody take the last two away", w.waysRace)
}

// passkeyRow stores a passkey of an account.
func (w *world) passkeyRow(t *testing.T, owner user.ID, verifies bool) {
	t.Helper()
	s := w.passkey(owner, w.ids.UUID())
	s.Record.UserVerified = verifies
	w.passkeyKept(t, passkey.Restore(s, 0))
}

// identityRow links an account.
func (w *world) identityRow(t *testing.T, owner user.ID) {
	t.Helper()
	s := w.identityOf(owner, "github", w.ids.UUID())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Identities.Save(ctx, identity.Restore(s, 0)) })
}

func (w *world) hash(t *testing.T, owner user.ID, hash string) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Credentials.Save(ctx, credential.New(owner, hash, noon()))
	})
}

// left asks for the ways into an account while some providers are switched on.
func (w *world) left(t *testing.T, owner user.ID, want bool, providers ...string) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		left, err := tx.WaysIn.Left(ctx, owner, providers)
		equal(t, "whether a way in is left", left, want)
		return err
	})
}

func (w *world) waysCounted(t *testing.T) {
	by := func(address string, give func(user.ID)) user.ID {
		owner := w.person(t, address).ID()
		give(owner)
		return owner
	}
	w.left(t, by("no-way@example.com", func(user.ID) {}), false)
	w.left(t, by("no-password@example.com", func(owner user.ID) { w.hash(t, owner, "") }), false)
	w.left(t, by("password@example.com", func(owner user.ID) { w.hash(t, owner, "hash") }), true)
	w.left(t, by("passkey@example.com", func(owner user.ID) { w.passkeyRow(t, owner, true) }), true)
	w.left(t, by("touched@example.com", func(owner user.ID) { w.passkeyRow(t, owner, false) }), false)
	w.left(t, by("both@example.com", func(owner user.ID) { w.passkeyRow(t, owner, false); w.passkeyRow(t, owner, true) }), true)
	linked := by("identity@example.com", func(owner user.ID) { w.hash(t, owner, ""); w.identityRow(t, owner) })
	w.left(t, linked, true, "google", "github")
	w.left(t, linked, false, "google")
	w.left(t, linked, false)
	w.left(t, like(w, user.ID("")), false)
}

func (w *world) waysTurn(t *testing.T) {
	owner := w.person(t, "turn-way@example.com").ID()
	ask := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			if _, err := tx.WaysIn.Left(t.Context(), owner, nil); err != nil {
				return err
			}
			held()
			return nil
		})
	}
	inTurn(t, ask, ask)
}

// waysRace takes the password and the passkey away at once: the second sees that
// the first is gone.
func (w *world) waysRace(t *testing.T) {
	for range 4 {
		owner := w.person(t, w.ids.UUID()+"@example.com").ID()
		w.hash(t, owner, "hash")
		w.passkeyRow(t, owner, true)
		remove := map[string]func(context.Context, Repos) error{
			"password": func(ctx context.Context, tx Repos) error {
				held, err := tx.Credentials.ByUser(ctx, owner)
				if err != nil {
					return err
				}
				held.Change("", noon())
				return tx.Credentials.Save(ctx, held)
			},
			"passkey": func(ctx context.Context, tx Repos) error {
				return tx.WaysIn.Void(ctx, owner, noon())
			},
		}
		refused := make(chan bool, len(remove))
		for _, away := range remove {
			go func() {
				no := false
				err := w.unit.Do(t.Context(), func(tx Repos) error {
					if err := away(t.Context(), tx); err != nil {
						return err
					}
					left, err := tx.WaysIn.Left(t.Context(), owner, nil)
					if no = err == nil && !left; no {
						return errEnough
					}
					return err
				})
				refused <- no && err != nil
			}()
		}
		if one, other := <-refused, <-refused; one == other {
			t.Errorf("of two removals at once were refused: %v and %v", one, other)
		}
		w.left(t, owner, true)
	}
}
