package contract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// IssuedTokens checks machines.IssuedTokens.
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
func (w *world) ending(t *testing.T, change func(tx machines.IssuedTokens) error) {
	t.Helper()
	w.do(t, func(_ context.Context, tx Repos) error { return change(tx.Tokens) })
}

// revokeAll ends the tokens of an app, and returns how many.
func (w *world) revokeAll(t *testing.T, of app.ID, before, now time.Time) (count int) {
	t.Helper()
	w.ending(t, func(tx machines.IssuedTokens) (err error) {
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
	if err := w.store.TokenIssues.Issue(t.Context(), token, nil); err != nil {
		t.Fatal(err)
	}
	return token
}

// live reports whether a token is good at a moment.
func (w *world) live(t *testing.T, token m2m.Issued, now time.Time) bool {
	t.Helper()
	return w.token(t, token.JTI).Failing(now) == 0
}

func (w *world) tokensRevoke(t *testing.T) {
	of := w.service(t, "revoked-once")
	one, other := w.issuedAt(t, of, noon()), w.issuedAt(t, of, noon())
	for _, already := range []bool{false, true} {
		w.ending(t, func(tx machines.IssuedTokens) error {
			ended, err := tx.Revoke(t.Context(), one.JTI, noon().Add(time.Second))
			equal(t, "what ended", ended, m2m.Ended{App: of.ID(), Org: of.Snapshot().OrgID, Already: already})
			return err
		})
	}
	equal(t, "when it ended", w.token(t, one.JTI).RevokedAt, noon().Add(time.Second))
	equal(t, "the other one lives", w.live(t, other, noon()), true)
	w.ending(t, func(tx machines.IssuedTokens) error {
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
	w.deletedElsewhere(t, of.ID())
	w.ending(t, func(tx machines.IssuedTokens) error {
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
	w.ending(t, func(tx machines.IssuedTokens) error {
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
	old := w.made(of)
	old.JTI = "00000000-0000-7000-8000-000000000000"
	is(t, "the issue of an old token", w.store.TokenIssues.Issue(t.Context(), old, nil), nil)
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
	w.do(t, func(ctx context.Context, tx Repos) error {
		return errors.Join(again.Update(app.Change{Name: &name}, now), tx.Apps.Save(ctx, again))
	})
	equal(t, "after a save", w.live(t, one, now), false)
}

func (w *world) tokensKeepVersion(t *testing.T) {
	of := w.service(t, "versioned")
	w.issuedAt(t, of, noon())
	w.revokeAll(t, of.ID(), noon(), noon())
	found, err := w.store.Clients.BySlug(t.Context(), "versioned", "")
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
	counts := make([]int, 2)
	revoke := func(which int, between func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) (err error) {
			counts[which], err = tx.Tokens.RevokeAll(t.Context(), of.ID(), noon(), noon())
			between()
			return err
		})
	}
	inTurn(t,
		func(held func()) error { return revoke(0, held) },
		func(held func()) error { return revoke(1, held) })
	equal(t, "what both counted", counts, []int{many, 0})
}

// TokenDirectory checks machines.TokenDirectory.
func TokenDirectory(t *testing.T, open Opener) {
	w := newWorld(t, open)
	org := w.team(t, false, "owner", w.person(t, "tokens@example.com").ID())
	one, two := w.machine(t, w.worker(org, "one")), w.machine(t, w.worker(org, "two"))
	far := w.service(t, "far")
	var jtis []string
	for i := range 6 { // in turn, so that a page holds some of both
		of := []*app.App{one, two}[i%2]
		jtis = append([]string{w.issuedAt(t, of, noon().Add(time.Duration(i)*time.Minute)).JTI}, jtis...)
	}
	foreign := w.issuedAt(t, far, noon()).JTI
	t.Run("lists a workspace's tokens, newest first", func(t *testing.T) {
		w.lists(t, machines.TokenQuery{Org: org}, jtis...)
		w.lists(t, machines.TokenQuery{Org: org, App: two.ID()}, jtis[0], jtis[2], jtis[4])
		w.lists(t, machines.TokenQuery{Org: org, App: far.ID()})
		w.lists(t, machines.TokenQuery{Org: like(w, workspace.ID(""))})
		w.lists(t, machines.TokenQuery{}, append([]string{foreign}, jtis...)...)
		w.lists(t, machines.TokenQuery{Limit: 3, Before: foreign}, jtis[:3]...)
		w.lists(t, machines.TokenQuery{App: far.ID()}, foreign)
	})
	t.Run("gives them by pages", func(t *testing.T) {
		w.lists(t, machines.TokenQuery{Org: org, Limit: 4}, jtis[:4]...)
		w.lists(t, machines.TokenQuery{Org: org, Limit: 4, Before: jtis[3]}, jtis[4:]...)
		w.lists(t, machines.TokenQuery{Org: org, Limit: 4, Before: jtis[5]})
	})
	t.Run("tells good ones from others", func(t *testing.T) { w.tokensActive(t, org, one, two, jtis) })
}

// lists compares what a query gives.
func (w *world) lists(t *testing.T, query machines.TokenQuery, want ...string) []m2m.ListedToken {
	t.Helper()
	if query.Now.IsZero() {
		query.Now = noon()
	}
	found, err := w.store.TokenDirectory.List(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	got := []string{}
	for _, one := range found {
		got = append(got, one.JTI)
	}
	equal(t, fmt.Sprintf("the tokens of %+v", query), got, append([]string{}, want...))
	return found
}

func (w *world) tokensActive(t *testing.T, org workspace.ID, one, two *app.App, jtis []string) {
	yes, no := true, false
	w.lists(t, machines.TokenQuery{Org: org, Active: &yes}, jtis...)
	w.lists(t, machines.TokenQuery{Org: org, Active: &no})
	// The first two expire, the third is revoked, the fourth ends with all of its app.
	now := noon().Add(time.Hour + time.Minute)
	w.ending(t, func(tx machines.IssuedTokens) error {
		_, err := tx.Revoke(t.Context(), jtis[3], noon())
		return err
	})
	w.revokeAll(t, two.ID(), noon().Add(4*time.Minute), now)
	w.lists(t, machines.TokenQuery{Org: org, Active: &yes, Now: now}, jtis[0], jtis[1])
	ended := w.lists(t, machines.TokenQuery{Org: org, Active: &no, Now: now}, jtis[2:]...)
	for i, want := range []time.Time{noon().Add(4 * time.Minute), noon(), noon().Add(4 * time.Minute), {}} {
		equal(t, fmt.Sprintf("when %d ended", i), ended[i].RevokedAt, want)
	}
	w.changedElsewhere(t, one.ID(), func(s *app.Snapshot) { s.Enabled = false })
	w.lists(t, machines.TokenQuery{Org: org, Active: &yes, Now: now}, jtis[0])
	listed := w.lists(t, machines.TokenQuery{Org: org, App: one.ID(), Active: &no, Now: now}, jtis[1], jtis[3], jtis[5])
	equal(t, "that a token of a disabled app is not good", listed[0].Active, false)
}

// Clients checks machines.Clients.
func Clients(t *testing.T, open Opener) {
	w := newWorld(t, open)
	full := w.service(t, "full").Snapshot()
	full.ID, full.Slug = app.ID(w.ids.UUID()), "fuller"
	full.GrantTypes = []app.GrantType{app.ClientCredentials}
	full.Secrets = []app.Secret{{ID: like(w, app.SecretID("")), Digest: "digest", Prefix: "sk_live_", CreatedAt: noon()}}
	full.Claims = map[string]string{"tier": "'gold'"}
	made := w.machine(t, full)
	t.Run("reads an app as it stands", func(t *testing.T) {
		found, err := w.store.Clients.BySlug(t.Context(), "fuller", "")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the app", found, outbound.Client{App: made.Snapshot(), Version: made.Version()})
		w.changedElsewhere(t, made.ID(), func(s *app.Snapshot) { s.Enabled = false })
		found, err = w.store.Clients.BySlug(t.Context(), "fuller", "")
		if err != nil || found.App.Enabled || found.Version != made.Version()+1 {
			t.Errorf("after a change: %+v, %v", found, err)
		}
		for _, slug := range []string{"", "FULLER", "fulle", "none"} {
			if _, err := w.store.Clients.BySlug(t.Context(), slug, ""); !errors.Is(err, app.ErrNotFound) {
				t.Errorf("the client %q: %v, want ErrNotFound", slug, err)
			}
		}
	})
	t.Run("answers many at once, each its own", func(t *testing.T) {
		var all sync.WaitGroup
		for i := range 40 {
			slug := []string{"full", "fuller", "none"}[i%3]
			all.Go(func() {
				found, err := w.store.Clients.BySlug(t.Context(), slug, "")
				if slug == "none" != errors.Is(err, app.ErrNotFound) || found.App.Slug != slug && err == nil {
					t.Errorf("%s: %s, %v", slug, found.App.Slug, err)
				}
			})
		}
		all.Wait()
	})
}
