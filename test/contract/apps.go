package contract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// Apps checks outbound.Apps.
func Apps(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.appsRoundTrip)
	t.Run("refuses a stale copy", w.appsStale)
	t.Run("leaves the time of revocation alone", w.appsRevokedBefore)
	t.Run("refuses a slug that is taken", w.appsSlug)
	t.Run("gives a slug to one of many", w.appsSlugRace)
	t.Run("deletes", w.appsDelete)
	t.Run("go with their workspace", w.appsWorkspaceGone)
}

// lab stores a workspace for apps.
func (w *world) lab(t *testing.T, mail string) workspace.ID {
	t.Helper()
	return w.team(t, false, "owner", w.person(t, mail).ID())
}

// bareApp is an app with nothing but what it must have.
func (w *world) bareApp(org workspace.ID, slug string) app.Snapshot {
	return app.Snapshot{
		ID: app.ID(w.ids.UUID()), OrgID: org, Slug: slug, Name: slug, Type: app.Service, Enabled: true,
		CreatedAt: noon(), UpdatedAt: noon(),
	}
}

// readApp stores an app and gives a copy of it as it was read back.
func (w *world) readApp(t *testing.T, made *app.App) *app.App {
	t.Helper()
	var found *app.App
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		if err := tx.Apps.Save(ctx, made); err != nil {
			return err
		}
		found, err = tx.Apps.ByID(ctx, made.ID())
		return err
	})
	return found
}

func (w *world) appsRoundTrip(t *testing.T) {
	org := w.lab(t, "apps@example.com")
	full := w.bareApp(org, "full")
	full.Name, full.Description, full.Type = "Füll \"quoted\"", "What it does.", app.Web
	full.Addresses = app.Addresses{
		RedirectURLs: []string{"https://a.example/cb", "http://localhost/cb"}, LogoutURLs: []string{"https://a.example/bye"},
		LogoURL: "https://a.example/logo.png", PolicyURL: "https://a.example/policy", TermsURL: "https://a.example/terms",
	}
	full.GrantTypes = []app.GrantType{app.RefreshToken, app.AuthorizationCode}
	full.AccessTTL, full.RefreshTTL, full.TokenExchange = 15*time.Minute, 30*24*time.Hour, true
	full.Scopes, full.Listed, full.Withdrawn = []string{"apps:read", "invoices:read"}, true, []string{"stock:read"}
	full.Secrets = []app.Secret{
		{ID: like(w, app.SecretID("")), Digest: "one", Prefix: "sk_live_1", CreatedAt: noon(), ExpiresAt: noon().Add(time.Hour)},
		{ID: like(w, app.SecretID("")), Digest: "two", Prefix: "sk_live_2", CreatedAt: noon().Add(time.Microsecond)},
	}
	full.JWKS, full.JWKSURI = `{"keys":[]}`, "https://a.example/jwks.json"
	full.Claims = map[string]string{"plan": `user.metadata_json.plan`, "https://example.com/x": `"é"`}
	full.UpdatedAt = noon().Add(time.Microsecond)
	bare := w.bareApp(org, "full")
	bare.ID, bare.Enabled = full.ID, false
	for version, want := range []app.Snapshot{full, bare} {
		got := w.readApp(t, app.Restore(want, int64(version)))
		equal(t, "the app", got.Snapshot(), want)
		equal(t, "its version", got.Version(), int64(version+1))
	}
	w.fails(t, app.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Apps.ByID(ctx, app.ID(w.ids.UUID()))
		return err
	})
}

func (w *world) appsStale(t *testing.T) {
	one := w.readApp(t, app.Restore(w.bareApp(w.lab(t, "stale-app@example.com"), "stale"), 0))
	other, third := app.Restore(one.Snapshot(), one.Version()), app.Restore(one.Snapshot(), one.Version())
	if err := one.Grant([]string{"a"}, noon()); err != nil {
		t.Fatal(err)
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Apps.Save(ctx, one) })
	if err := other.Grant([]string{"b"}, noon()); err != nil {
		t.Fatal(err)
	}
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Apps.Save(ctx, other) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Apps.Delete(ctx, third) })
}

func (w *world) appsRevokedBefore(t *testing.T) {
	made := w.readApp(t, app.Restore(w.bareApp(w.lab(t, "revoked-app@example.com"), "revoked"), 0))
	w.do(t, func(ctx context.Context, tx Repos) error {
		_, err := tx.Tokens.RevokeAll(ctx, made.ID(), noon(), noon())
		return err
	})
	// This copy was read before, and is not stale: it does not know of the time.
	if err := made.Grant([]string{"a"}, noon()); err != nil {
		t.Fatal(err)
	}
	after := w.readApp(t, made).Snapshot()
	if after.RevokedBefore.IsZero() || len(after.Scopes) != 1 {
		t.Errorf("after saving a copy that was read before: revoked before %v, scopes %q", after.RevokedBefore, after.Scopes)
	}
}

func (w *world) appsSlug(t *testing.T) {
	org, elsewhere := w.lab(t, "slug@example.com"), w.lab(t, "slug-elsewhere@example.com")
	first := w.readApp(t, app.Restore(w.bareApp(org, "taken"), 0))
	for _, where := range []workspace.ID{org, elsewhere} {
		w.fails(t, app.ErrSlugTaken, func(ctx context.Context, tx Repos) error {
			return tx.Apps.Save(ctx, app.Restore(w.bareApp(where, "taken"), 0))
		})
	}
	// What else was done in the transaction is kept: the refusal does not break it.
	next := w.bareApp(org, "after")
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := tx.Apps.Save(ctx, app.Restore(w.bareApp(org, "taken"), 0)); !errors.Is(err, app.ErrSlugTaken) {
			return fmt.Errorf("saving a slug that is taken: %w", err)
		}
		return tx.Apps.Save(ctx, app.Restore(next, 0))
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		if _, err := tx.Apps.ByID(ctx, next.ID); err != nil {
			return err
		}
		return tx.Apps.Delete(ctx, first)
	})
	w.readApp(t, app.Restore(w.bareApp(elsewhere, "taken"), 0))
}

func (w *world) appsSlugRace(t *testing.T) {
	const many = 8
	org := w.lab(t, "slug-race@example.com")
	var all sync.WaitGroup
	errs := make([]error, many)
	for i := range many {
		made := w.bareApp(org, "wanted")
		all.Go(func() {
			errs[i] = w.unit.Do(t.Context(), func(tx Repos) error { return tx.Apps.Save(t.Context(), app.Restore(made, 0)) })
		})
	}
	all.Wait()
	stored := 0
	for _, err := range errs {
		switch {
		case err == nil:
			stored++
		case !errors.Is(err, app.ErrSlugTaken):
			t.Errorf("got %v, want ErrSlugTaken", err)
		}
	}
	equal(t, "apps stored", stored, 1)
}

func (w *world) appsDelete(t *testing.T) {
	made := w.readApp(t, app.Restore(w.bareApp(w.lab(t, "delete-app@example.com"), "delete"), 0))
	made.Delete()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Apps.Delete(ctx, made) })
	w.fails(t, app.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Apps.ByID(ctx, made.ID())
		return err
	})
	found, err := w.store.AuditTrail().Search(t.Context(), outbound.AuditQuery{Kind: app.KindDeleted, Org: made.Snapshot().OrgID, Limit: 2})
	is(t, "searching its event", err, nil)
	equal(t, "events", len(found), 1)
}

func (w *world) appsWorkspaceGone(t *testing.T) {
	person := w.person(t, "app-owner@example.com")
	org := w.team(t, true, "owner", person.ID())
	made := w.readApp(t, app.Restore(w.bareApp(org, "personal"), 0))
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, person) })
	w.fails(t, app.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Apps.ByID(ctx, made.ID())
		return err
	})
}
