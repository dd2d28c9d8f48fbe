package contract

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
)

// Apps checks machines.Apps.
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

// readApp stores an app and returns a copy of it as it was read back.
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
	full.ExchangeClients = []string{"wiki", "https://client.example/about"}
	full.Scopes, full.Listed, full.Withdrawn = []string{"apps:read", "invoices:read"}, true, []string{"stock:read"}
	full.Vouched = []string{"invoices:read"}
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
	if err := one.Grant([]string{"a"}, false, noon()); err != nil {
		t.Fatal(err)
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Apps.Save(ctx, one) })
	if err := other.Grant([]string{"b"}, false, noon()); err != nil {
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
	if err := made.Grant([]string{"a"}, false, noon()); err != nil {
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
	w.fails(t, app.ErrSlugTaken, func(ctx context.Context, tx Repos) error {
		return tx.Apps.Save(ctx, app.Restore(w.bareApp(elsewhere, "taken"), 0))
	})
	w.readApp(t, app.Restore(w.bareApp(org, "taken"), 0))
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
	found, err := w.store.AuditTrail.Search(t.Context(), outbound.AuditQuery{Kind: app.KindDeleted, Org: made.Snapshot().OrgID, Limit: 2})
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

// AppDirectory checks machines.AppDirectory and workspaces.WorkspaceDirectory.
func AppDirectory(t *testing.T, open Opener) {
	w := newWorld(t, open)
	org := w.lab(t, "directory@example.com")
	made := w.shelf(t, org)
	t.Run("lists what matches, newest first", func(t *testing.T) { w.appsListed(t, org, made) })
	t.Run("finds one", func(t *testing.T) { w.appsFound(t, org, made[0]) })
	t.Run("tells the last uses of secrets", w.appsUses)
	t.Run("tells what ID tokens are signed by", func(t *testing.T) { w.appsSigning(t, org) })
	t.Run("reads within the transaction around a command", func(t *testing.T) { w.appsAmbient(t, org) })
	t.Run("finds a workspace", func(t *testing.T) { w.workspaceFound(t, org) })
}

// shelf stores five apps of a workspace, and one of another.
func (w *world) shelf(t *testing.T, org workspace.ID) []app.Snapshot {
	t.Helper()
	var all []app.Snapshot
	for i, name := range []string{"Billing", "BILL's 100%_", "ÅSA Öberg", "Reports", "Zed"} {
		one := w.bareApp(org, fmt.Sprintf("slug-%d", i))
		one.Name = name
		all = append(all, one)
	}
	all[3].Type, all[4].Slug = app.SPA, "billing-worker"
	foreign := w.bareApp(w.lab(t, "elsewhere@example.com"), "billing-foreign")
	w.do(t, func(ctx context.Context, tx Repos) error {
		for _, one := range append(all, foreign) {
			if err := tx.Apps.Save(ctx, app.Restore(one, 0)); err != nil {
				return err
			}
		}
		return nil
	})
	return all
}

func (w *world) appsListed(t *testing.T, org workspace.ID, made []app.Snapshot) {
	for name, c := range map[string]struct {
		query machines.AppQuery
		want  []int
	}{
		"all":              {machines.AppQuery{}, []int{4, 3, 2, 1, 0}},
		"type":             {machines.AppQuery{Type: app.SPA}, []int{3}},
		"text":             {machines.AppQuery{Text: "bILL"}, []int{4, 1, 0}},
		"not ASCII":        {machines.AppQuery{Text: "åSA ö"}, []int{2}},
		"slug":             {machines.AppQuery{Text: "slug-1"}, []int{1}},
		"middle of a name": {machines.AppQuery{Text: "illing"}, nil},
		"wildcards":        {machines.AppQuery{Text: "%"}, nil},
		"as they stand":    {machines.AppQuery{Text: "bill's 100%_"}, []int{1}},
		"NUL":              {machines.AppQuery{Text: "\x00"}, nil},
		"text and type":    {machines.AppQuery{Text: "bill", Type: app.SPA}, nil},
		"first page":       {machines.AppQuery{Limit: 2}, []int{4, 3}},
		"second page":      {machines.AppQuery{Limit: 2, Before: made[3].ID}, []int{2, 1}},
		"page of a text":   {machines.AppQuery{Limit: 1, Before: made[4].ID, Text: "bill"}, []int{1}},
	} {
		c.query.Org = org
		found, err := w.store.AppDirectory.List(t.Context(), c.query)
		is(t, name, err, nil)
		var want []app.Snapshot
		for _, place := range c.want {
			want = append(want, made[place])
		}
		equal(t, name+": how many", len(found), len(want))
		for i := range want {
			equal(t, name, found[i], want[i])
		}
	}
	none, err := w.store.AppDirectory.List(t.Context(), machines.AppQuery{Org: like(w, workspace.ID(""))})
	is(t, "the apps of no workspace", err, nil)
	equal(t, "the apps of no workspace", len(none), 0)
	all, err := w.store.AppDirectory.List(t.Context(), machines.AppQuery{Text: "bill", Limit: 2})
	is(t, "the apps of all workspaces", err, nil)
	equal(t, "the apps of all workspaces", len(all), 2)
}

func (w *world) appsFound(t *testing.T, org workspace.ID, want app.Snapshot) {
	directory := w.store.AppDirectory
	for name, by := range map[string]machines.AppKey{"id": {ID: want.ID}, "slug": {Slug: want.Slug}} {
		found, err := directory.Find(t.Context(), org, by)
		is(t, name, err, nil)
		equal(t, name, found, want)
		_, err = directory.Find(t.Context(), like(w, workspace.ID("")), by)
		is(t, name+" in another workspace", err, app.ErrNotFound)
		found, err = directory.Find(t.Context(), "", by)
		is(t, name+" in any workspace", err, nil)
		equal(t, name+" in any workspace", found, want)
	}
	for name, by := range map[string]machines.AppKey{"absent id": {ID: app.ID(w.ids.UUID())}, "absent slug": {Slug: "nobody"}, "nothing": {}} {
		_, err := directory.Find(t.Context(), org, by)
		is(t, name, err, app.ErrNotFound)
	}
}

// An algorithm is needed by the apps that people log in to, for as long as there are some.
func (w *world) appsSigning(t *testing.T, org workspace.ID) {
	needs := func(what string, es256, rs256 bool) {
		t.Helper()
		for algorithm, want := range map[signingkey.Algorithm]bool{signingkey.ES256: es256, signingkey.RS256: rs256} {
			got, err := w.store.AppDirectory.NeedIDTokens(t.Context(), algorithm)
			is(t, what, err, nil)
			equal(t, what+": "+string(algorithm), got, want)
		}
	}
	needs("apps that nobody logs in to", false, false)
	one := w.bareApp(org, "signing")
	one.GrantTypes, one.IDTokenAlg = []app.GrantType{app.ClientCredentials}, signingkey.RS256
	stored := w.readApp(t, app.Restore(one, 0))
	needs("one more of them", false, false)
	for _, grant := range []app.GrantType{app.DeviceCode, app.AuthorizationCode} {
		is(t, "a change", stored.Update(app.Change{GrantTypes: []app.GrantType{grant}}, noon()), nil)
		stored = w.readApp(t, stored)
		needs("an app of RS256 by "+string(grant), false, true)
	}
	absent := signingkey.Algorithm("")
	is(t, "a change", stored.Update(app.Change{Rules: app.RulesChange{IDTokenAlg: &absent}}, noon()), nil)
	stored = w.readApp(t, stored)
	needs("an app that chose nothing", true, false)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Apps.Delete(ctx, stored) })
	needs("an app that is gone", false, false)
}

func (w *world) appsUses(t *testing.T) {
	used, unused := like(w, app.SecretID("")), like(w, app.SecretID(""))
	is(t, "noting a use", w.store.LastUses.Touch(t.Context(), used.String()), nil)
	found, err := w.store.AppDirectory.SecretUses(t.Context(), []app.SecretID{unused, used})
	is(t, "reading uses", err, nil)
	if at, ok := found[used]; !ok || len(found) != 1 || at.Sub(w.clock.Now()).Abs() > time.Minute {
		t.Errorf("uses %v, want one of %s at about %v", found, used, w.clock.Now())
	}
	none, err := w.store.AppDirectory.SecretUses(t.Context(), nil)
	is(t, "reading no uses", err, nil)
	equal(t, "uses of no secrets", len(none), 0)
}

func (w *world) appsAmbient(t *testing.T, org workspace.ID) {
	made := w.bareApp(org, "ambient")
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		if err := w.unit.Do(ctx, func(tx Repos) error { return tx.Apps.Save(ctx, app.Restore(made, 0)) }); err != nil {
			t.Error(err)
		}
		found, err := w.store.AppDirectory.Find(ctx, org, machines.AppKey{ID: made.ID})
		if err != nil || found.Slug != made.Slug {
			t.Errorf("within the transaction: %+v, %v", found, err)
		}
		return false
	})
	is(t, "the transaction", err, nil)
	_, err = w.store.AppDirectory.Find(t.Context(), org, machines.AppKey{ID: made.ID})
	is(t, "after it was dropped", err, app.ErrNotFound)
}

func (w *world) workspaceFound(t *testing.T, org workspace.ID) {
	found, err := w.store.WorkspaceDirectory.Find(t.Context(), org)
	is(t, "finding a workspace", err, nil)
	equal(t, "the workspace", found, w.workspace(t, org).Snapshot())
	_, err = w.store.WorkspaceDirectory.Find(t.Context(), like(w, workspace.ID("")))
	is(t, "finding none", err, workspace.ErrNotFound)
}
