package contract

import (
	"errors"
	"testing"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/ports/outbound"
)

// IssuedTokens checks outbound.IssuedTokens.
func IssuedTokens(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("revokes one token once", w.tokensRevoke)
	t.Run("revokes one of an app that is gone", w.tokensRevokeOrphan)
	t.Run("revokes all before a time", w.tokensRevokeBefore)
	t.Run("revokes all, also of clocks that are ahead", w.tokensRevokeAll)
	t.Run("does not bring tokens back to life", w.tokensStayRevoked)
	t.Run("leaves the app's version alone", w.tokensKeepVersion)
	t.Run("counts each token for one of many", w.tokensRevokeTogether)
}

// ending runs a change of tokens that must succeed.
func (w *world) ending(t *testing.T, change func(tx outbound.IssuedTokens) error) {
	t.Helper()
	unit := sqlstore.NewUnit(w.store, func(tx *sqlstore.Tx) outbound.IssuedTokens { return tx.IssuedTokens() })
	if err := unit.Do(t.Context(), change); err != nil {
		t.Fatal(err)
	}
}

// revokeAll ends the tokens of an app, and tells how many.
func (w *world) revokeAll(t *testing.T, of app.ID, before, now time.Time) (count int) {
	t.Helper()
	w.ending(t, func(tx outbound.IssuedTokens) (err error) {
		count, err = tx.RevokeAll(t.Context(), of, before, now)
		return err
	})
	return count
}

// service stores an app of a workspace of its own.
func (w *world) service(t *testing.T, slug string) *app.App {
	t.Helper()
	org := w.team(t, false, "owner", w.person(t, slug+"@example.com").ID())
	return w.machine(t, w.worker(org, slug))
}

// issuedAt stores a token that was issued at a time, for an hour.
func (w *world) issuedAt(t *testing.T, of *app.App, at time.Time) m2m.Issued {
	t.Helper()
	token := m2m.Issued{
		JTI: w.ids.UUID(), App: of.ID(), AppVersion: of.Version(), Scope: "users:read", Audience: "me",
		IssuedAt: at, ExpiresAt: at.Add(time.Hour),
	}
	if err := w.store.TokenIssues().Issue(t.Context(), token); err != nil {
		t.Fatal(err)
	}
	return token
}

// live tells whether a token is good at a moment.
func (w *world) live(t *testing.T, token m2m.Issued, now time.Time) bool {
	t.Helper()
	return w.token(t, token.JTI).Live(now)
}

func (w *world) tokensRevoke(t *testing.T) {
	of := w.service(t, "revoked-once")
	one, other := w.issuedAt(t, of, noon()), w.issuedAt(t, of, noon())
	for _, already := range []bool{false, true} {
		w.ending(t, func(tx outbound.IssuedTokens) error {
			ended, err := tx.Revoke(t.Context(), one.JTI, noon().Add(time.Second))
			equal(t, "what ended", ended, m2m.Ended{App: of.ID(), Org: of.Snapshot().OrgID, Already: already})
			return err
		})
	}
	equal(t, "when it ended", w.token(t, one.JTI).RevokedAt, noon().Add(time.Second))
	equal(t, "the other one lives", w.live(t, other, noon()), true)
	w.ending(t, func(tx outbound.IssuedTokens) error {
		for _, jti := range []string{w.ids.UUID(), "", "no jti"} {
			_, err := tx.Revoke(t.Context(), jti, noon())
			is(t, "revoking "+jti, err, m2m.ErrNotFound)
		}
		return nil
	})
}

func (w *world) tokensRevokeOrphan(t *testing.T) {
	of := w.service(t, "orphan")
	one := w.issuedAt(t, of, noon())
	w.changed(t, `DELETE FROM apps WHERE id = ?`, of.ID())
	w.ending(t, func(tx outbound.IssuedTokens) error {
		ended, err := tx.Revoke(t.Context(), one.JTI, noon())
		equal(t, "what ended", ended, m2m.Ended{App: of.ID()})
		return err
	})
	equal(t, "tokens of an app that is gone", w.revokeAll(t, of.ID(), noon(), noon()), 0)
}

func (w *world) tokensRevokeBefore(t *testing.T) {
	of, foreign := w.service(t, "before"), w.service(t, "beside")
	minute := func(n int) time.Time { return noon().Add(time.Duration(n) * time.Minute) }
	first, second, third := w.issuedAt(t, of, minute(0)), w.issuedAt(t, of, minute(1)), w.issuedAt(t, of, minute(2))
	other := w.issuedAt(t, foreign, minute(0))
	expired := w.issuedAt(t, of, minute(-70))
	single := w.issuedAt(t, of, minute(0))
	w.ending(t, func(tx outbound.IssuedTokens) error {
		_, err := tx.Revoke(t.Context(), single.JTI, minute(0))
		return err
	})
	now := minute(5)
	equal(t, "those before the second: neither the expired nor the revoked one", w.revokeAll(t, of.ID(), minute(1), now), 1)
	equal(t, "the first", w.live(t, first, now), false)
	equal(t, "the one that was issued at the time itself", w.live(t, second, now), true)
	equal(t, "the same again", w.revokeAll(t, of.ID(), minute(1), now), 0)
	equal(t, "what was ended is not counted again", w.revokeAll(t, of.ID(), minute(2), now), 1)
	equal(t, "the third", w.live(t, third, now), true)
	equal(t, "the app beside", w.live(t, other, now), true)
	equal(t, "an expired one", w.live(t, expired, now), false)
}

func (w *world) tokensRevokeAll(t *testing.T) {
	of := w.service(t, "ahead")
	equal(t, "without tokens", w.revokeAll(t, of.ID(), noon(), noon()), 0)
	old := w.issuedAt(t, of, noon())
	w.changed(t, `UPDATE m2m_tokens SET jti = ? WHERE jti = ?`, "00000000-0000-7000-8000-000000000000", old.JTI)
	now := noon().Add(time.Second)
	same, ahead := w.issuedAt(t, of, now), w.issuedAt(t, of, now.Add(3*time.Second))
	equal(t, "both, and none that is older than any may live", w.revokeAll(t, of.ID(), now, now), 2)
	for _, one := range []m2m.Issued{same, ahead} {
		equal(t, "a revoked one", w.live(t, one, now), false)
	}
	equal(t, "again", w.revokeAll(t, of.ID(), now.Add(time.Hour), now), 0)
	equal(t, "when the next one may be issued", w.token(t, ahead.JTI).RevokedBefore, ahead.IssuedAt.Add(time.Microsecond))
	next := w.issuedAt(t, of, ahead.IssuedAt.Add(time.Microsecond))
	equal(t, "the next one", w.live(t, next, now), true)
}

func (w *world) tokensStayRevoked(t *testing.T) {
	of := w.service(t, "onward")
	one := w.issuedAt(t, of, noon())
	now := noon().Add(time.Minute)
	equal(t, "all", w.revokeAll(t, of.ID(), now, now), 1)
	equal(t, "an earlier time", w.revokeAll(t, of.ID(), noon().Add(-time.Hour), now), 0)
	equal(t, "the token", w.live(t, one, now), false)
	// Whoever saves the app, from whichever copy, leaves the time as it is.
	name, again := "Renamed", app.Restore(of.Snapshot(), of.Version())
	unit := sqlstore.NewUnit(w.store, func(tx *sqlstore.Tx) outbound.Apps { return tx.Apps() })
	err := unit.Do(t.Context(), func(tx outbound.Apps) error {
		return errors.Join(again.Update(app.Change{Name: &name}, now), tx.Save(t.Context(), again))
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "after a save", w.live(t, one, now), false)
}

func (w *world) tokensKeepVersion(t *testing.T) {
	of := w.service(t, "versioned")
	w.issuedAt(t, of, noon())
	w.revokeAll(t, of.ID(), noon(), noon())
	found, err := w.store.Clients().BySlug(t.Context(), "versioned")
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the version", found.Version, of.Version())
	equal(t, "the time on the app", found.App.RevokedBefore, noon().Add(time.Microsecond))
}

func (w *world) tokensRevokeTogether(t *testing.T) {
	const many = 8
	of := w.service(t, "together")
	for range many {
		w.issuedAt(t, of, noon())
	}
	unit := sqlstore.NewUnit(w.store, func(tx *sqlstore.Tx) outbound.IssuedTokens { return tx.IssuedTokens() })
	counts := make([]int, 2)
	revoke := func(which int, between func()) error {
		return unit.Do(t.Context(), func(tx outbound.IssuedTokens) (err error) {
			counts[which], err = tx.RevokeAll(t.Context(), of.ID(), noon(), noon())
			between()
			return err
		})
	}
	inTurn(t,
		func(held func()) error { return revoke(0, held) },
		func(held func()) error { return revoke(1, held) })
	equal(t, "what both counted", counts, []int{many, 0})
}
