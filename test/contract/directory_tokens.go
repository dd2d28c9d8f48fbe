package contract

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// TokenDirectory checks outbound.TokenDirectory.
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
	w.issuedAt(t, far, noon())
	t.Run("lists a workspace's tokens, newest first", func(t *testing.T) {
		w.lists(t, outbound.TokenQuery{Org: org}, jtis...)
		w.lists(t, outbound.TokenQuery{Org: org, App: two.ID()}, jtis[0], jtis[2], jtis[4])
		w.lists(t, outbound.TokenQuery{Org: org, App: far.ID()})
		w.lists(t, outbound.TokenQuery{Org: like(w, workspace.ID(""))})
		w.lists(t, outbound.TokenQuery{})
	})
	t.Run("gives them by pages", func(t *testing.T) {
		w.lists(t, outbound.TokenQuery{Org: org, Limit: 4}, jtis[:4]...)
		w.lists(t, outbound.TokenQuery{Org: org, Limit: 4, Before: jtis[3]}, jtis[4:]...)
		w.lists(t, outbound.TokenQuery{Org: org, Limit: 4, Before: jtis[5]})
	})
	t.Run("tells good ones from others", func(t *testing.T) { w.tokensActive(t, org, one, two, jtis) })
}

// lists compares what a query gives.
func (w *world) lists(t *testing.T, query outbound.TokenQuery, want ...string) []m2m.Listed {
	t.Helper()
	if query.Now.IsZero() {
		query.Now = noon()
	}
	found, err := w.store.TokenDirectory().List(t.Context(), query)
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
	w.lists(t, outbound.TokenQuery{Org: org, Active: &yes}, jtis...)
	w.lists(t, outbound.TokenQuery{Org: org, Active: &no})
	// The first two expire, the third is revoked, the fourth ends with all of its app.
	now := noon().Add(time.Hour + time.Minute)
	w.ending(t, func(tx outbound.IssuedTokens) error {
		_, err := tx.Revoke(t.Context(), jtis[3], noon())
		return err
	})
	w.revokeAll(t, two.ID(), noon().Add(4*time.Minute), now)
	w.lists(t, outbound.TokenQuery{Org: org, Active: &yes, Now: now}, jtis[0], jtis[1])
	ended := w.lists(t, outbound.TokenQuery{Org: org, Active: &no, Now: now}, jtis[2:]...)
	for i, want := range []time.Time{noon().Add(4 * time.Minute), noon(), noon().Add(4 * time.Minute), {}} {
		equal(t, fmt.Sprintf("when %d ended", i), ended[i].RevokedAt, want)
	}
	w.changed(t, `UPDATE apps SET enabled = ? WHERE id = ?`, false, one.ID())
	w.lists(t, outbound.TokenQuery{Org: org, Active: &yes, Now: now}, jtis[0])
	listed := w.lists(t, outbound.TokenQuery{Org: org, App: one.ID(), Active: &no, Now: now}, jtis[1], jtis[3], jtis[5])
	equal(t, "that a token of a disabled app is not good", listed[0].Active(now), false)
}

// Clients checks outbound.Clients.
func Clients(t *testing.T, open Opener) {
	w := newWorld(t, open)
	full := w.service(t, "full").Snapshot()
	full.ID, full.Slug = app.ID(w.ids.UUID()), "fuller"
	full.GrantTypes = []app.GrantType{app.ClientCredentials}
	full.Secrets = []app.Secret{{ID: like(w, app.SecretID("")), Digest: "digest", Prefix: "sk_live_", CreatedAt: noon()}}
	full.Claims = map[string]string{"tier": "'gold'"}
	made := w.machine(t, full)
	t.Run("reads an app as it stands", func(t *testing.T) {
		found, err := w.store.Clients().BySlug(t.Context(), "fuller")
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the app", found, outbound.Client{App: made.Snapshot(), Version: made.Version()})
		w.changed(t, `UPDATE apps SET enabled = ?, version = version + 1 WHERE id = ?`, false, made.ID())
		found, err = w.store.Clients().BySlug(t.Context(), "fuller")
		if err != nil || found.App.Enabled || found.Version != made.Version()+1 {
			t.Errorf("after a change: %+v, %v", found, err)
		}
		for _, slug := range []string{"", "FULLER", "fulle", "none"} {
			if _, err := w.store.Clients().BySlug(t.Context(), slug); !errors.Is(err, app.ErrNotFound) {
				t.Errorf("the client %q: %v, want ErrNotFound", slug, err)
			}
		}
	})
	t.Run("answers many at once, each its own", func(t *testing.T) {
		var all sync.WaitGroup
		for i := range 40 {
			slug := []string{"full", "fuller", "none"}[i%3]
			all.Go(func() {
				found, err := w.store.Clients().BySlug(t.Context(), slug)
				if slug == "none" != errors.Is(err, app.ErrNotFound) || found.App.Slug != slug && err == nil {
					t.Errorf("%s: %s, %v", slug, found.App.Slug, err)
				}
			})
		}
		all.Wait()
	})
	t.Run("fails those alone whose app cannot be read", func(t *testing.T) {
		w.changed(t, `UPDATE apps SET secrets = ? WHERE id = ?`, "broken", made.ID())
		if _, err := w.store.Clients().BySlug(t.Context(), "fuller"); err == nil || errors.Is(err, app.ErrNotFound) {
			t.Errorf("a broken row: %v", err)
		}
		if _, err := w.store.Clients().BySlug(t.Context(), "full"); err != nil {
			t.Error(err)
		}
	})
}
