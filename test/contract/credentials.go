package contract

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/credential"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
)

// Credentials checks signin.Credentials.
func Credentials(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.credentialsRoundTrip)
	t.Run("refuses a stale copy", w.credentialsStale)
	t.Run("counts every parallel failure", w.credentialsParallel)
	t.Run("needs an account", w.credentialsOrphan)
}

func (w *world) credential(t *testing.T, owner user.ID) *credential.Credential {
	t.Helper()
	var found *credential.Credential
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Credentials.ByUser(ctx, owner)
		return err
	})
	return found
}

func (w *world) credentialsRoundTrip(t *testing.T) {
	owner := w.person(t, "credential@example.com").ID()
	for version, want := range []credential.Snapshot{
		{UserID: owner, Hash: "$argon2id$v=19$m=1$x", SetAt: noon(), Failures: []time.Time{noon().Add(-time.Microsecond), noon()}, LockedUntil: noon().Add(time.Hour)},
		{UserID: owner},
	} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			return tx.Credentials.Save(ctx, credential.Restore(want, int64(version)))
		})
		equal(t, "the credential", w.credential(t, owner).Snapshot(), want)
	}
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Credentials.ByUser(ctx, like(w, user.ID("")))
		return err
	})
}

func (w *world) credentialsStale(t *testing.T) {
	owner := w.person(t, "stale-credential@example.com").ID()
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Credentials.Save(ctx, credential.New(owner, "one", noon()))
	})
	one, other := w.credential(t, owner), w.credential(t, owner)
	one.Change("two", noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Credentials.Save(ctx, one) })
	other.Upgrade("three")
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Credentials.Save(ctx, other) })
	equal(t, "the hash", w.credential(t, owner).Hash(), "two")
}

func (w *world) credentialsParallel(t *testing.T) {
	const writers = 8
	owner := w.person(t, "guessed@example.com").ID()
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Credentials.Save(ctx, credential.New(owner, "hash", noon()))
	})
	limits := policy.Lockout{MaxFailures: 100, WindowMinutes: 15, DurationMinutes: 15}
	var all sync.WaitGroup
	for range writers {
		all.Go(func() {
			err := w.unit.Do(t.Context(), func(tx Repos) error {
				found, err := tx.Credentials.ByUser(t.Context(), owner)
				if err != nil {
					return err
				}
				found.Fail(limits, noon())
				return tx.Credentials.Save(t.Context(), found)
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	equal(t, "the failures", len(w.credential(t, owner).Snapshot().Failures), writers)
}

// credentialsOrphan is what happens when an account is deleted under a unit of
// work: it runs again, and then does not find the account.
func (w *world) credentialsOrphan(t *testing.T) {
	runs := 0
	err := w.unit.Do(t.Context(), func(tx Repos) error {
		if runs++; runs > 1 {
			return errEnough
		}
		return tx.Credentials.Save(t.Context(), credential.New(like(w, user.ID("")), "hash", noon()))
	})
	if !errors.Is(err, errEnough) || errors.Is(err, aggregate.ErrConflict) {
		t.Errorf("got %v after %d runs, want a second run", err, runs)
	}
}
