package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/event"
	"gatehouse.internal/domain/passkey"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Passkeys checks signin.Passkeys and signin.PasskeyDirectory.
func Passkeys(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.passkeysRoundTrip)
	t.Run("refuses a stale copy", w.passkeysStale)
	t.Run("takes a credential once", w.passkeysTaken)
	t.Run("stores what happened", w.passkeysEvents)
	t.Run("lists those of a user", w.passkeysListed)
	t.Run("makes one user's registrations wait", w.passkeysTurn)
	t.Run("removes one once", w.passkeysRemoved)
	t.Run("goes with the owner", w.passkeysGone)
}

func (w *world) passkey(owner user.ID, credential string) passkey.Snapshot {
	return passkey.Snapshot{
		ID: like(w, passkey.ID("")), UserID: owner, CredentialID: credential, Name: "phone",
		Record:    passkey.Record{PublicKey: []byte{0xa5, 1, 2}, AAGUID: "00000000-0000-0000-0000-000000000000", Format: "none"},
		CreatedAt: noon(),
	}
}

// passkeyKept stores a passkey and returns a copy of it as it was read back.
func (w *world) passkeyKept(t *testing.T, p *passkey.Passkey) *passkey.Passkey {
	t.Helper()
	var found *passkey.Passkey
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		if err := tx.Passkeys.Save(ctx, p); err != nil {
			return err
		}
		found, err = tx.Passkeys.ByID(ctx, p.ID())
		return err
	})
	return found
}

func (w *world) passkeysRoundTrip(t *testing.T) {
	bare := w.passkey(w.person(t, "passkey@example.com").ID(), "Y3JlZGVudGlhbC0x")
	full := bare
	full.Name, full.LastUsedAt = "t\u00e4blet", noon().Add(time.Microsecond)
	full.Record = passkey.Record{
		PublicKey: []byte{0, 255}, SignCount: 1<<32 - 1, BackupEligible: true, BackedUp: true, UserVerified: true,
		AAGUID: "0193c1a2-7b1e-7c3d-9a5f-0123456789ab", Transports: []string{"usb", "hybrid"}, Attachment: "platform",
		Format: "packed", Attestation: []byte{1, 2, 3}, ClientData: []byte(`{"type":"webauthn.create"}`),
	}
	bare.Record.Attestation, bare.Record.ClientData = []byte{}, []byte{}
	for version, want := range []passkey.Snapshot{bare, full} {
		got := w.passkeyKept(t, passkey.Restore(want, int64(version)))
		equal(t, "the passkey", got.Snapshot(), want)
		equal(t, "its version", got.Version(), int64(version+1))
	}
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Passkeys.ByCredential(ctx, full.CredentialID)
		if err == nil {
			equal(t, "by its credential", found.Snapshot(), full)
		}
		return err
	})
	for _, id := range []string{"Y3JlZGVudGlhbC0X", "y3jlzgvudglhbc0x", "", "Y3JlZGVudGlhbC0"} {
		w.fails(t, passkey.ErrNotFound, func(ctx context.Context, tx Repos) error {
			_, err := tx.Passkeys.ByCredential(ctx, id)
			return err
		})
	}
	w.fails(t, passkey.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Passkeys.ByID(ctx, like(w, passkey.ID("")))
		return err
	})
}

func (w *world) passkeysStale(t *testing.T) {
	one := w.passkeyKept(t, passkey.Restore(w.passkey(w.person(t, "stale-passkey@example.com").ID(), "c3RhbGU"), 0))
	other := passkey.Restore(one.Snapshot(), one.Version())
	one.Rename("first")
	w.passkeyKept(t, one)
	other.Rename("second")
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Passkeys.Save(ctx, other) })
}

func (w *world) passkeysTaken(t *testing.T) {
	w.passkeyKept(t, passkey.Restore(w.passkey(w.person(t, "first-owner@example.com").ID(), "dGFrZW4"), 0))
	other := w.passkey(w.person(t, "second-owner@example.com").ID(), "dGFrZW4")
	w.do(t, func(ctx context.Context, tx Repos) error {
		is(t, "the same credential", tx.Passkeys.Save(ctx, passkey.Restore(other, 0)), passkey.ErrTaken)
		_, err := tx.Passkeys.ByCredential(ctx, "dGFrZW4") // the transaction goes on
		return err
	})
}

func (w *world) passkeysEvents(t *testing.T) {
	person := w.person(t, "told-passkey@example.com").ID()
	s := w.passkey(person, "dG9sZA")
	p := passkey.Register(passkey.Registration{ID: s.ID, UserID: person, CredentialID: s.CredentialID, Record: s.Record}, noon())
	w.passkeyKept(t, p)
	p.Rename("renamed")
	w.passkeyKept(t, p)
	p.Revoke(passkey.ByUser)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Passkeys.Remove(ctx, p) })
	found, err := w.store.AuditTrail.Search(t.Context(), outbound.AuditQuery{User: person})
	is(t, "search", err, nil)
	kinds := []event.Kind{}
	for _, record := range found {
		kinds = append(kinds, record.Kind)
	}
	equal(t, "the events", kinds[:3], []event.Kind{passkey.KindRevoked, passkey.KindUpdated, passkey.KindRegistered})
}

func (w *world) passkeysListed(t *testing.T) {
	ada, bob := w.person(t, "ada-passkeys@example.com").ID(), w.person(t, "bob-passkeys@example.com").ID()
	first := w.passkeyKept(t, passkey.Restore(w.passkey(ada, "YWRhLTE"), 0)).ID()
	w.clock.move(time.Second)
	last := w.passkeyKept(t, passkey.Restore(w.passkey(ada, "YWRhLTI"), 0)).ID()
	ids := func(all []passkey.Snapshot) []passkey.ID {
		found := []passkey.ID{}
		for _, s := range all {
			found = append(found, s.ID)
		}
		return found
	}
	for owner, want := range map[user.ID][]passkey.ID{ada: {last, first}, bob: {}} {
		listed, err := w.store.PasskeyDirectory.List(t.Context(), owner)
		is(t, "list", err, nil)
		equal(t, "the list", ids(listed), want)
		w.do(t, func(ctx context.Context, tx Repos) error {
			held, err := tx.Passkeys.Held(ctx, owner)
			equal(t, "what is held", ids(held), want)
			return err
		})
	}
	found, err := w.store.PasskeyDirectory.ByCredential(t.Context(), "YWRhLTE")
	is(t, "by credential", err, nil)
	equal(t, "what is found", found.ID(), first)
	for _, credential := range []string{"YWRhLTM", ""} {
		_, err := w.store.PasskeyDirectory.ByCredential(t.Context(), credential)
		is(t, "by credential "+credential, err, passkey.ErrNotFound)
	}
}

func (w *world) passkeysTurn(t *testing.T) {
	owner := w.person(t, "turn-passkey@example.com").ID()
	register := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			if _, err := tx.Passkeys.Held(t.Context(), owner); err != nil {
				return err
			}
			held()
			return nil
		})
	}
	inTurn(t, register, register)
}

func (w *world) passkeysRemoved(t *testing.T) {
	p := w.passkeyKept(t, passkey.Restore(w.passkey(w.person(t, "removed-passkey@example.com").ID(), "cmVtb3ZlZA"), 0))
	remove := func(ctx context.Context, tx Repos) error { return tx.Passkeys.Remove(ctx, p) }
	w.do(t, remove)
	w.conflicts(t, remove)
}

func (w *world) passkeysGone(t *testing.T) {
	owner := w.person(t, "gone-passkey@example.com")
	p := w.passkeyKept(t, passkey.Restore(w.passkey(owner.ID(), "Z29uZQ"), 0))
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, owner) })
	w.fails(t, passkey.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Passkeys.ByID(ctx, p.ID())
		return err
	})
}
