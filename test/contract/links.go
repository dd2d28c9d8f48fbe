package contract

import (
	"context"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/challenge"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// Links checks signin.Links.
func Links(t *testing.T, open Opener) {
	w := newWorld(t, open)
	whose := w.person(t, "links@example.com").ID()
	waiting := challenge.Challenge{
		Digest: "digest-of-a-link", Kind: challenge.PasswordReset, UserID: whose, Content: []byte(`{"a":1}`),
		CreatedAt: noon(), ExpiresAt: noon().Add(time.Hour),
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Challenges.Open(ctx, waiting) })
	find := func(digest string, now time.Time, kinds ...challenge.Kind) (challenge.Challenge, error) {
		return w.store.Links.Find(t.Context(), digest, now, kinds...)
	}
	for range 2 {
		found, err := find(waiting.Digest, noon(), challenge.LoginLink, challenge.PasswordReset)
		is(t, "Find()", err, nil)
		equal(t, "the challenge", found, waiting)
	}
	for name, gone := range map[string]func() (challenge.Challenge, error){
		"another kind": func() (challenge.Challenge, error) { return find(waiting.Digest, noon(), challenge.LoginLink) },
		"no kind":      func() (challenge.Challenge, error) { return find(waiting.Digest, noon()) },
		"its end": func() (challenge.Challenge, error) {
			return find(waiting.Digest, waiting.ExpiresAt, challenge.PasswordReset)
		},
		"none": func() (challenge.Challenge, error) { return find("other", noon(), challenge.PasswordReset) },
	} {
		found, err := gone()
		is(t, name, err, challenge.ErrGone)
		equal(t, name, found, challenge.Challenge{})
	}
}

// Redirects checks machines.Redirects.
func Redirects(t *testing.T, open Opener) {
	w := newWorld(t, open)
	root := w.superadmin(t, "redirects@example.com")
	org := w.team(t, false, "owner", root)
	snapshot := w.bareApp(org, "redirects")
	snapshot.RedirectURLs = []string{"https://a.example/cb", "https://b.example/cb"}
	made := w.readApp(t, app.Restore(snapshot, 0))
	registered := func(address string) bool {
		t.Helper()
		found, err := w.store.Redirects.Registered(t.Context(), address, noon())
		is(t, "Registered()", err, nil)
		return found
	}
	want := func(address string, want bool) {
		t.Helper()
		if got := registered(address); got != want {
			t.Errorf("Registered(%s) = %v, want %v", address, got, want)
		}
	}
	want("https://a.example/cb", true)
	want("https://b.example/cb", true)
	for _, other := range []string{"https://a.example/cb/", "https://a.example/CB", "https://a.example", "", "%", "https://a.example/c_"} {
		want(other, false)
	}
	// An app of everybody else's does not count, nor one that a superadmin only is a member of.
	other := w.bareApp(w.team(t, false, "owner", w.person(t, "redirects-other@example.com").ID()), "redirects-other")
	guest := w.bareApp(w.team(t, false, "member", root), "redirects-guest")
	for address, s := range map[string]app.Snapshot{"https://other.example/cb": other, "https://guest.example/cb": guest} {
		s.RedirectURLs = []string{address}
		w.readApp(t, app.Restore(s, 0))
		want(address, false)
	}
	changed := made.Snapshot()
	changed.RedirectURLs = []string{"https://b.example/cb", "https://c.example/cb"}
	made = w.readApp(t, app.Restore(changed, made.Version()))
	want("https://a.example/cb", false)
	want("https://b.example/cb", true)
	want("https://c.example/cb", true)
	changed.Enabled = false
	made = w.readApp(t, app.Restore(changed, made.Version()))
	want("https://c.example/cb", false)
	changed.Enabled = true
	made = w.readApp(t, app.Restore(changed, made.Version()))
	w.expireOwner(t, org, root)
	want("https://c.example/cb", false)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Apps.Delete(ctx, made) })
	want("https://b.example/cb", false)
}

// RedirectOrigins checks machines.Redirects.At.
func RedirectOrigins(t *testing.T, open Opener) {
	w := newWorld(t, open)
	snapshot := w.bareApp(w.team(t, false, "owner", w.person(t, "origins@example.com").ID()), "origins")
	snapshot.RedirectURLs = []string{"https://a.example/cb", "https://bare.example", "https://asks.example?x=1", "http://localhost:3000/"}
	made := w.readApp(t, app.Restore(snapshot, 0))
	want := func(want bool, origins ...string) {
		t.Helper()
		for _, origin := range origins {
			found, err := w.store.Redirects.At(t.Context(), origin)
			is(t, origin, err, nil)
			equal(t, origin, found, want)
		}
	}
	want(true, "https://a.example", "https://bare.example", "https://asks.example", "http://localhost:3000")
	want(false, "http://a.example", "https://a.exampl", "https://a.example.evil.example", "https://b.example", "https://a.example:8443",
		"http://localhost", "http://localhost:300", "https://%", "https://_.example", "https://A.example", "")
	changed := made.Snapshot()
	changed.Enabled = false
	made = w.readApp(t, app.Restore(changed, made.Version()))
	want(false, "https://a.example")
	changed.Enabled, changed.RedirectURLs = true, []string{"https://b.example/cb"}
	made = w.readApp(t, app.Restore(changed, made.Version()))
	want(false, "https://a.example")
	want(true, "https://b.example")
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Apps.Delete(ctx, made) })
	want(false, "https://b.example")
}

// superadmin stores an account that is one.
func (w *world) superadmin(t *testing.T, mail string) user.ID {
	t.Helper()
	made := w.person(t, mail)
	made.SetSuperadmin(true, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, made) })
	return made.ID()
}

// expireOwner makes somebody an owner until noon alone.
func (w *world) expireOwner(t *testing.T, org workspace.ID, person user.ID) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		member, err := tx.Workspaces.Member(ctx, org, person)
		if err != nil {
			return err
		}
		s := member.Snapshot()
		for i := range s.Grants {
			s.Grants[i].ExpiresAt = noon()
		}
		return tx.Workspaces.SaveMember(ctx, workspace.RestoreMember(s, member.Version()))
	})
}
