package contract

import (
	"context"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/adapters/system"
	"gatehouse.internal/domain/mfa"
	"gatehouse.internal/domain/policy"
	"gatehouse.internal/domain/user"
)

// SecondFactors checks signin.SecondFactors.
func SecondFactors(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.factorsRoundTrip)
	t.Run("refuses a stale copy", w.factorsStale)
	t.Run("uses a code up once, whoever gives it", w.factorsRace)
	t.Run("knows who has a passkey", w.factorsPasskey)
	t.Run("goes with the account", w.factorsGone)
	t.Run("is read outside a unit", w.factorsListed)
	t.Run("needs an account", w.factorsOrphan)
}

// factors reads the second factors of an account.
func (w *world) factors(t *testing.T, owner user.ID) *mfa.Factors {
	t.Helper()
	var found *mfa.Factors
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		found, err = tx.Factors.ByUser(ctx, owner)
		return err
	})
	return found
}

// enrolled stores a TOTP app with recovery codes, and returns these.
func (w *world) enrolled(t *testing.T, owner user.ID) []string {
	t.Helper()
	s := mfa.Snapshot{UserID: owner, Factors: []mfa.Factor{
		{ID: like(w, mfa.ID("")), Method: mfa.TOTP, Name: "Phone", Secret: "JBSWY3DPEHPK3PXP", ConfirmedAt: noon(), CreatedAt: noon()},
	}}
	made := mfa.Restore(s, 0)
	drawn := mfa.NewRecoveryCodes(system.Random{})
	if err := made.Regenerate(drawn); err != nil {
		t.Fatal(err)
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Factors.Save(ctx, made) })
	codes := make([]string, len(drawn))
	for i, code := range drawn {
		codes[i] = string(code)
	}
	return codes
}

func (w *world) factorsRoundTrip(t *testing.T) {
	owner := w.person(t, "factors@example.com").ID()
	none := w.factors(t, owner)
	if none.Enrolled() || none.Version() != 0 || none.Snapshot().UserID != owner {
		t.Errorf("of an account that has none: %+v", none.Snapshot())
	}
	full := mfa.Snapshot{
		UserID: owner,
		Factors: []mfa.Factor{
			{
				ID: like(w, mfa.ID("")), Method: mfa.TOTP, Name: "Phöne", Secret: "JBSWY3DPEHPK3PXP", Step: 1 << 40,
				ConfirmedAt: noon(), CreatedAt: noon().Add(-time.Nanosecond), LastUsedAt: noon(),
			},
			{ID: like(w, mfa.ID("")), Method: mfa.Email, Challenge: "digest", CreatedAt: noon()},
		},
		Recovery: []string{"one", "two"}, Bypass: mfa.OneTime{Digest: "bypass", ExpiresAt: noon()},
		Mailed: []time.Time{noon()}, Failures: []time.Time{noon(), noon()}, LockedUntil: noon(),
	}
	for version, want := range []mfa.Snapshot{full, {UserID: owner}} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			return tx.Factors.Save(ctx, mfa.Restore(want, int64(version)))
		})
		got := w.factors(t, owner)
		if len(want.Factors) == 0 {
			want.Factors = got.Snapshot().Factors
			equal(t, "the number of factors", len(want.Factors), 0)
		}
		equal(t, "the factors", got.Snapshot(), want)
		equal(t, "the version", got.Version(), int64(version+1))
	}
}

func (w *world) factorsStale(t *testing.T) {
	owner := w.person(t, "stale-factors@example.com").ID()
	w.enrolled(t, owner)
	one, other := w.factors(t, owner), w.factors(t, owner)
	one.Reset("")
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Factors.Save(ctx, one) })
	other.Reset("")
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Factors.Save(ctx, other) })
	// Of two that were never stored, one is.
	fresh := w.person(t, "fresh-factors@example.com").ID()
	w.enrolled(t, fresh)
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Factors.Save(ctx, mfa.None(fresh)) })
}

func (w *world) factorsRace(t *testing.T) {
	const tries = 6
	owner := w.person(t, "raced-factors@example.com").ID()
	code := w.enrolled(t, owner)[0]
	var all sync.WaitGroup
	right := make(chan bool, tries)
	for range tries {
		all.Go(func() {
			accepted := false
			err := w.unit.Do(t.Context(), func(tx Repos) error {
				f, err := tx.Factors.ByUser(t.Context(), owner)
				if err != nil {
					return err
				}
				accepted = f.Verify(mfa.Attempt{Method: mfa.RecoveryCode, Code: code}, policy.Lockout{MaxFailures: 100, WindowMinutes: 15, DurationMinutes: 15}, noon())
				return tx.Factors.Save(t.Context(), f)
			})
			if err != nil {
				t.Error(err)
			}
			right <- accepted
		})
	}
	all.Wait()
	accepted := 0
	for range tries {
		if <-right {
			accepted++
		}
	}
	equal(t, "how often one code was accepted", accepted, 1)
	left := w.factors(t, owner).Snapshot()
	equal(t, "the codes that are left", len(left.Recovery), mfa.RecoveryCodes-1)
	if len(left.Failures) > tries-1 {
		t.Errorf("%d failures", len(left.Failures))
	}
}

func (w *world) factorsPasskey(t *testing.T) {
	owner, other := w.person(t, "with-passkey@example.com").ID(), w.person(t, "without-passkey@example.com").ID()
	w.passkeyRow(t, owner, false)
	for person, want := range map[user.ID]bool{owner: true, other: false, "": false} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			got, err := tx.Factors.HasPasskey(ctx, person)
			equal(t, "whether there is a passkey", got, want)
			return err
		})
	}
}

func (w *world) factorsGone(t *testing.T) {
	person := w.person(t, "gone-factors@example.com")
	w.enrolled(t, person.ID())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, person) })
	if w.factors(t, person.ID()).Version() != 0 {
		t.Error("the factors outlived the account")
	}
}

func (w *world) factorsListed(t *testing.T) {
	owner, other, gone := w.person(t, "listed-factors@example.com").ID(), w.person(t, "other-factors@example.com").ID(), like(w, user.ID(""))
	w.enrolled(t, owner)
	for whose, want := range map[user.ID]mfa.Snapshot{
		owner: w.factors(t, owner).Snapshot(), other: {UserID: other}, gone: {UserID: gone},
	} {
		got, err := w.store.FactorDirectory.Of(t.Context(), whose)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the factors", got, want)
	}
}

func (w *world) factorsOrphan(t *testing.T) {
	w.fails(t, user.ErrNotFound, func(ctx context.Context, tx Repos) error {
		return tx.Factors.Save(ctx, mfa.None(like(w, user.ID(""))))
	})
}
