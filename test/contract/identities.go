package contract

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/identity"
	"gatehouse.internal/domain/secret"
	"gatehouse.internal/domain/social"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Social checks signin.Identities, signin.IdentityDirectory,
// signin.SocialSetups and signin.SocialDirectory.
func Social(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.identitiesRoundTrip)
	t.Run("has one of a kind", w.identitiesUnique)
	t.Run("refuses a stale copy", w.identitiesStale)
	t.Run("removes one", w.identitiesDeleted)
	t.Run("links one of many at once", w.identitiesRace)
	t.Run("leaves one of the last two", w.identitiesLast)
	t.Run("goes with the account", w.identitiesGone)
	t.Run("keeps what was set of providers", w.socialSetups)
}

func (w *world) identityOf(owner user.ID, provider, id string) identity.Snapshot {
	return identity.Snapshot{
		ID: like(w, identity.ID("")), UserID: owner, Upstream: identity.Upstream{Provider: provider, ID: id},
		Email: email.Restore("upstream@example.com"), LinkedAt: noon(), LastLoginAt: noon().Add(time.Microsecond),
		Tokens: identity.Tokens{
			Access: secret.New("the access token"), Refresh: secret.New("the refresh token"), ExpiresAt: noon().Add(time.Hour), Scopes: []string{"email", "profile"},
		},
	}
}

func (w *world) identitiesRoundTrip(t *testing.T) {
	person := w.person(t, "identity@example.com").ID()
	full := w.identityOf(person, "github", "4711")
	bare := identity.Snapshot{ID: full.ID, UserID: person, Upstream: identity.Upstream{Provider: "github", ID: "4712"}, LinkedAt: noon()}
	for version, want := range []identity.Snapshot{full, bare} {
		var got *identity.Identity
		w.do(t, func(ctx context.Context, tx Repos) (err error) {
			if err := tx.Identities.Save(ctx, identity.Restore(want, int64(version))); err != nil {
				return err
			}
			got, err = tx.Identities.ByUpstream(ctx, want.Upstream)
			return err
		})
		equal(t, "the identity", got.Snapshot(), want)
		equal(t, "its version", got.Version(), int64(version+1))
	}
	found, err := w.store.IdentityDirectory.OfUser(t.Context(), person)
	if err != nil || len(found) != 1 {
		t.Fatalf("%d identities, %v", len(found), err)
	}
	equal(t, "the listed identity", found[0], bare)
	for _, absent := range []identity.Upstream{full.Upstream, {Provider: "google", ID: "4712"}, {Provider: "github", ID: ""}} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			_, err := tx.Identities.ByUpstream(ctx, absent)
			is(t, "an identity that is not there", err, identity.ErrNotFound)
			return nil
		})
	}
}

func (w *world) identitiesUnique(t *testing.T) {
	ada, bob := w.person(t, "ada-identity@example.com").ID(), w.person(t, "bob-identity@example.com").ID()
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Identities.Save(ctx, identity.Restore(w.identityOf(ada, "google", "1"), 0))
	})
	for what, second := range map[string]identity.Snapshot{
		"an upstream account is linked to two": w.identityOf(bob, "google", "1"),
		"an account has two of a provider":     w.identityOf(ada, "google", "2"),
	} {
		runs := 0
		err := w.unit.Do(t.Context(), func(tx Repos) error {
			if runs++; runs > 1 {
				return errEnough
			}
			return tx.Identities.Save(t.Context(), identity.Restore(second, 0))
		})
		is(t, what, err, errEnough)
	}
	// The same identifier at another provider is another account.
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Identities.Save(ctx, identity.Restore(w.identityOf(bob, "github", "1"), 0))
	})
}

func (w *world) identitiesStale(t *testing.T) {
	s := w.identityOf(w.person(t, "stale-identity@example.com").ID(), "google", "stale")
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Identities.Save(ctx, identity.Restore(s, 0)) })
	one, other := identity.Restore(s, 1), identity.Restore(s, 1)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Identities.Save(ctx, one) })
	for what, write := range map[string]func(tx Repos) error{
		"saving":   func(tx Repos) error { return tx.Identities.Save(t.Context(), other) },
		"removing": func(tx Repos) error { return tx.Identities.Delete(t.Context(), other) },
	} {
		runs := 0
		err := w.unit.Do(t.Context(), func(tx Repos) error {
			if runs++; runs > 1 {
				return errEnough
			}
			return write(tx)
		})
		is(t, what+" a stale copy", err, errEnough)
	}
}

func (w *world) identitiesDeleted(t *testing.T) {
	person := w.person(t, "unlinked@example.com").ID()
	made := identity.Link(identity.Draft{ID: like(w, identity.ID("")), UserID: person, Upstream: identity.Upstream{Provider: "github", ID: "gone"}}, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Identities.Save(ctx, made) })
	made.Unlink()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Identities.Delete(ctx, made) })
	found, err := w.store.AuditTrail.Search(t.Context(), outbound.AuditQuery{User: person})
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, record := range found {
		kinds = append(kinds, string(record.Kind))
	}
	equal(t, "the events", strings.Join(kinds[:2], " "), "identity.unlinked identity.linked")
	left, err := w.store.IdentityDirectory.OfUser(t.Context(), person)
	if err != nil || len(left) != 0 {
		t.Errorf("left: %+v, %v", left, err)
	}
}

func (w *world) identitiesRace(t *testing.T) {
	upstream := identity.Upstream{Provider: "google", ID: "raced for"}
	var linked sync.WaitGroup
	var people []user.ID
	for range 6 {
		person := w.person(t, like(w, user.ID("")).String()+"@example.com").ID()
		people = append(people, person)
		linked.Go(func() {
			err := w.unit.Do(t.Context(), func(tx Repos) error {
				if _, err := tx.Identities.ByUpstream(t.Context(), upstream); err == nil {
					return nil
				}
				return tx.Identities.Save(t.Context(), identity.Restore(w.identityOf(person, upstream.Provider, upstream.ID), 0))
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	linked.Wait()
	count := 0
	for _, person := range people {
		held, err := w.store.IdentityDirectory.OfUser(t.Context(), person)
		is(t, "the identities", err, nil)
		count += len(held)
	}
	equal(t, "identities of one upstream account", count, 1)
}

func (w *world) identitiesLast(t *testing.T) {
	person := w.person(t, "last-identity@example.com").ID()
	held := []*identity.Identity{identity.Restore(w.identityOf(person, "google", "last"), 0), identity.Restore(w.identityOf(person, "github", "last"), 0)}
	w.do(t, func(ctx context.Context, tx Repos) error {
		for _, one := range held {
			if err := tx.Identities.Save(ctx, one); err != nil {
				return err
			}
		}
		return nil
	})
	var unlinking sync.WaitGroup
	outcomes := make([]error, len(held))
	for i, one := range held {
		unlinking.Go(func() {
			outcomes[i] = w.unit.Do(t.Context(), func(tx Repos) error {
				if err := tx.Identities.Delete(t.Context(), identity.Restore(one.Snapshot(), 1)); err != nil {
					return err
				}
				left, err := tx.LoginMethods.Left(t.Context(), person, []string{"google", "github"})
				if err == nil && !left {
					return identity.ErrLast
				}
				return err
			})
		})
	}
	unlinking.Wait()
	left, err := w.store.IdentityDirectory.OfUser(t.Context(), person)
	if err != nil || len(left) != 1 {
		t.Errorf("%d identities are left, %v; the outcomes were %v", len(left), err, outcomes)
	}
}

func (w *world) identitiesGone(t *testing.T) {
	person := w.person(t, "gone-identity@example.com")
	s := w.identityOf(person.ID(), "google", "gone with the account")
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Identities.Save(ctx, identity.Restore(s, 0)) })
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, person) })
	w.do(t, func(ctx context.Context, tx Repos) error {
		_, err := tx.Identities.ByUpstream(ctx, s.Upstream)
		is(t, "the identity of a deleted account", err, identity.ErrNotFound)
		return nil
	})
}

func (w *world) socialSetups(t *testing.T) {
	if all, err := w.store.SocialDirectory.Overrides(t.Context()); err != nil || len(all) != 0 {
		t.Fatalf("a new store has %v, %v", all, err)
	}
	id, kept, off := "own client", secret.New("own secret"), false
	full := social.Overrides{ClientID: &id, ClientSecret: &kept, Scopes: &[]string{"email"}, Enabled: &off, AllowSignup: &off}
	for version, want := range []social.Overrides{full, {Enabled: &off}, {}} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			return tx.Setups.Save(ctx, social.Restore(social.GitHub, want, int64(version)))
		})
		var read *social.Setup
		w.do(t, func(ctx context.Context, tx Repos) (err error) {
			read, err = tx.Setups.ByProvider(ctx, social.GitHub)
			return err
		})
		all, err := w.store.SocialDirectory.Overrides(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		for _, got := range []social.Overrides{read.Overrides(), all[social.GitHub]} {
			equal(t, "the overrides", got, want)
		}
		equal(t, "the version", read.Version(), int64(version+1))
	}
	w.do(t, func(ctx context.Context, tx Repos) error {
		unset, err := tx.Setups.ByProvider(ctx, social.Discord)
		equal(t, "the version of an unset provider", unset.Version(), int64(0))
		return err
	})
	runs := 0
	err := w.unit.Do(t.Context(), func(tx Repos) error {
		if runs++; runs > 1 {
			return errEnough
		}
		return tx.Setups.Save(t.Context(), social.Restore(social.GitHub, full, 1))
	})
	is(t, "saving a stale copy", err, errEnough)
}
