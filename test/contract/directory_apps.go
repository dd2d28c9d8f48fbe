package contract

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
)

// AppDirectory checks outbound.AppDirectory and outbound.WorkspaceDirectory.
func AppDirectory(t *testing.T, open Opener) {
	w := newWorld(t, open)
	org := w.lab(t, "directory@example.com")
	made := w.shelf(t, org)
	t.Run("lists what matches, newest first", func(t *testing.T) { w.appsListed(t, org, made) })
	t.Run("finds one", func(t *testing.T) { w.appsFound(t, org, made[0]) })
	t.Run("tells the last uses of secrets", w.appsUses)
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
		query outbound.AppQuery
		want  []int
	}{
		"all":              {outbound.AppQuery{}, []int{4, 3, 2, 1, 0}},
		"type":             {outbound.AppQuery{Type: app.SPA}, []int{3}},
		"text":             {outbound.AppQuery{Text: "bILL"}, []int{4, 1, 0}},
		"not ASCII":        {outbound.AppQuery{Text: "åSA ö"}, []int{2}},
		"slug":             {outbound.AppQuery{Text: "slug-1"}, []int{1}},
		"middle of a name": {outbound.AppQuery{Text: "illing"}, nil},
		"wildcards":        {outbound.AppQuery{Text: "%"}, nil},
		"as they stand":    {outbound.AppQuery{Text: "bill's 100%_"}, []int{1}},
		"NUL":              {outbound.AppQuery{Text: "\x00"}, nil},
		"text and type":    {outbound.AppQuery{Text: "bill", Type: app.SPA}, nil},
		"first page":       {outbound.AppQuery{Limit: 2}, []int{4, 3}},
		"second page":      {outbound.AppQuery{Limit: 2, Before: made[3].ID}, []int{2, 1}},
		"page of a text":   {outbound.AppQuery{Limit: 1, Before: made[4].ID, Text: "bill"}, []int{1}},
	} {
		c.query.Org = org
		found, err := w.store.AppDirectory().List(t.Context(), c.query)
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
	none, err := w.store.AppDirectory().List(t.Context(), outbound.AppQuery{Org: like(w, workspace.ID(""))})
	is(t, "the apps of no workspace", err, nil)
	equal(t, "the apps of no workspace", len(none), 0)
}

func (w *world) appsFound(t *testing.T, org workspace.ID, want app.Snapshot) {
	directory := w.store.AppDirectory()
	for name, by := range map[string]outbound.AppKey{"id": {ID: want.ID}, "slug": {Slug: want.Slug}} {
		found, err := directory.Find(t.Context(), org, by)
		is(t, name, err, nil)
		equal(t, name, found, want)
		_, err = directory.Find(t.Context(), like(w, workspace.ID("")), by)
		is(t, name+" in another workspace", err, app.ErrNotFound)
	}
	for name, by := range map[string]outbound.AppKey{"absent id": {ID: app.ID(w.ids.UUID())}, "absent slug": {Slug: "nobody"}, "nothing": {}} {
		_, err := directory.Find(t.Context(), org, by)
		is(t, name, err, app.ErrNotFound)
	}
}

func (w *world) appsUses(t *testing.T) {
	used, unused := like(w, app.SecretID("")), like(w, app.SecretID(""))
	is(t, "noting a use", w.store.LastUses().Touch(t.Context(), used.String()), nil)
	found, err := w.store.AppDirectory().SecretUses(t.Context(), []app.SecretID{unused, used})
	is(t, "reading uses", err, nil)
	if at, ok := found[used]; !ok || len(found) != 1 || at.Sub(w.clock.Now()).Abs() > time.Minute {
		t.Errorf("uses %v, want one of %s at about %v", found, used, w.clock.Now())
	}
	none, err := w.store.AppDirectory().SecretUses(t.Context(), nil)
	is(t, "reading no uses", err, nil)
	equal(t, "uses of no secrets", len(none), 0)
}

func (w *world) appsAmbient(t *testing.T, org workspace.ID) {
	made := w.bareApp(org, "ambient")
	err := w.store.Within(t.Context(), func(ctx context.Context) bool {
		if err := w.unit.Do(ctx, func(tx Repos) error { return tx.Apps.Save(ctx, app.Restore(made, 0)) }); err != nil {
			t.Error(err)
		}
		found, err := w.store.AppDirectory().Find(ctx, org, outbound.AppKey{ID: made.ID})
		if err != nil || found.Slug != made.Slug {
			t.Errorf("within the transaction: %+v, %v", found, err)
		}
		return false
	})
	is(t, "the transaction", err, nil)
	_, err = w.store.AppDirectory().Find(t.Context(), org, outbound.AppKey{ID: made.ID})
	is(t, "after it was dropped", err, app.ErrNotFound)
}

func (w *world) workspaceFound(t *testing.T, org workspace.ID) {
	found, err := w.store.WorkspaceDirectory().Find(t.Context(), org)
	is(t, "finding a workspace", err, nil)
	equal(t, "the workspace", found, workspace.Snapshot{ID: org, Name: "Engines", CreatedAt: noon()})
	_, err = w.store.WorkspaceDirectory().Find(t.Context(), like(w, workspace.ID("")))
	is(t, "finding none", err, workspace.ErrNotFound)
}
