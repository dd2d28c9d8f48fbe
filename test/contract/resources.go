package contract

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/signingkey"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/machines"
)

// Resources checks machines.Resources, AudienceDomains and ResourceDirectory.
func Resources(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.resourcesRoundTrip)
	t.Run("refuses a stale copy", w.resourcesStale)
	t.Run("gives an identifier to one workspace", w.resourcesTaken)
	t.Run("lets slugs and audiences exclude each other", w.resourcesSlugs)
	t.Run("gives a new audience to one of many", w.resourcesRace)
	t.Run("waits for who has a name", w.resourcesInTurn)
	t.Run("gives a name away, but no slug", w.resourcesAssign)
	t.Run("keeps names beyond everything else", w.resourcesGone)
	t.Run("counts what a workspace claimed", w.resourcesClaimed)
	t.Run("lists and finds", w.resourcesListed)
	t.Run("knows whose domain an audience is under", w.resourcesDomains)
	t.Run("lists the audiences that yield to a domain", w.resourcesYielding)
}

// bareResource is a resource with nothing but what it must have.
func (w *world) bareResource(org workspace.ID, identifier string) resource.Snapshot {
	return resource.Snapshot{
		ID: like(w, resource.ID("")), OrgID: org, Identifier: identifier, Name: identifier, Origin: resource.FirstUse,
		CreatedAt: noon(), UpdatedAt: noon(),
	}
}

// saveResource stores a resource that was read at a version.
func (w *world) saveResource(t *testing.T, s resource.Snapshot, version int64) *resource.Resource {
	t.Helper()
	var found *resource.Resource
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		if err := tx.Resources.Save(ctx, resource.Restore(s, version)); err != nil {
			return err
		}
		found, err = tx.Resources.ByID(ctx, s.ID)
		return err
	})
	return found
}

// holder reads who has a name, by a unit of work and without one, which must agree.
func (w *world) holder(t *testing.T, name string) (held *resource.Audience, found *resource.Resource) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		held, found, err = tx.Resources.Holder(ctx, name)
		return err
	})
	read, err := w.store.ResourceDirectory.Audience(t.Context(), name)
	is(t, "reading an audience", err, nil)
	equal(t, "the audience as it is read", read, held)
	return held, found
}

func (w *world) resourcesRoundTrip(t *testing.T) {
	org := w.lab(t, "resources@example.com")
	full := w.bareResource(org, "https://full.example.com")
	full.Name, full.Origin = "Füll \"quoted\"", resource.BySuperadmin
	full.Scopes = []resource.Scope{{Name: "b", Description: "Zwei „b“."}, {Name: "a"}}
	full.AccessTTL, full.SigningAlg, full.SkipConsent = 15*time.Minute, signingkey.RS256, true
	full.UpdatedAt = noon().Add(time.Microsecond)
	bare := w.bareResource(org, full.Identifier)
	bare.ID = full.ID
	for version, want := range []resource.Snapshot{full, bare} {
		got := w.saveResource(t, want, int64(version))
		equal(t, "the resource", got.Snapshot(), want)
		equal(t, "its version", got.Version(), int64(version+1))
	}
	ofInstance := w.bareResource("", "https://instance.example.com")
	equal(t, "one of the instance", w.saveResource(t, ofInstance, 0).Snapshot(), ofInstance)
	full = w.saveResource(t, full, 2).Snapshot()
	held, found := w.holder(t, full.Identifier)
	equal(t, "the audience", held, &resource.Audience{
		Name: full.Identifier, OrgID: org, Version: 3, Origin: resource.BySuperadmin, Scopes: []string{"b", "a"},
		AccessTTL: 15 * time.Minute, SigningAlg: signingkey.RS256, SkipConsent: true,
	})
	equal(t, "its resource", found.Snapshot(), full)
	none, nothing := w.holder(t, "https://nobody.example.com")
	equal(t, "an audience of nobody", none == nil && nothing == nil, true)
	w.fails(t, resource.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Resources.ByID(ctx, like(w, resource.ID("")))
		return err
	})
}

func (w *world) resourcesStale(t *testing.T) {
	one := w.saveResource(t, w.bareResource(w.lab(t, "stale-resource@example.com"), "https://stale.example.com"), 0)
	other, third := resource.Restore(one.Snapshot(), one.Version()), resource.Restore(one.Snapshot(), one.Version())
	name := "New"
	for _, copied := range []*resource.Resource{one, other} {
		if err := copied.Update(resource.Change{Name: &name}, noon()); err != nil {
			t.Fatal(err)
		}
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Resources.Save(ctx, one) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Resources.Save(ctx, other) })
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Resources.Delete(ctx, third) })
}

func (w *world) resourcesTaken(t *testing.T) {
	const name = "https://taken.example.com"
	org, elsewhere := w.lab(t, "taken@example.com"), w.lab(t, "taken-elsewhere@example.com")
	w.saveResource(t, w.bareResource(org, name), 0)
	for owner, want := range map[workspace.ID]error{org: resource.ErrRegistered, elsewhere: resource.ErrTaken, "": resource.ErrTaken} {
		w.fails(t, want, func(ctx context.Context, tx Repos) error {
			return tx.Resources.Save(ctx, resource.Restore(w.bareResource(owner, name), 0))
		})
	}
	w.saveResource(t, w.bareResource(elsewhere, "https://TAKEN.example.com"), 0) // compared as it is
}

func (w *world) resourcesSlugs(t *testing.T) {
	org, elsewhere := w.lab(t, "names@example.com"), w.lab(t, "names-elsewhere@example.com")
	made := w.readApp(t, app.Restore(w.bareApp(org, "name-slug"), 0))
	w.saveResource(t, w.bareResource(org, "name-audience"), 0)
	for _, owner := range []workspace.ID{elsewhere, ""} {
		w.fails(t, resource.ErrTaken, func(ctx context.Context, tx Repos) error {
			return tx.Resources.Save(ctx, resource.Restore(w.bareResource(owner, "name-slug"), 0))
		})
	}
	w.fails(t, app.ErrSlugTaken, func(ctx context.Context, tx Repos) error {
		return tx.Apps.Save(ctx, app.Restore(w.bareApp(elsewhere, "name-audience"), 0))
	})
	// Within one workspace they may meet.
	w.readApp(t, app.Restore(w.bareApp(org, "name-audience"), 0))
	w.saveResource(t, w.bareResource(org, "name-slug"), 0)
	for _, name := range []string{"name-slug", "name-audience"} {
		held, _ := w.holder(t, name)
		equal(t, name+" is a slug", held.Slug, true)
	}
	// A slug stays one when its app is gone.
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Apps.Delete(ctx, made) })
	held, _ := w.holder(t, "name-slug")
	equal(t, "who has the slug", held.OrgID, org)
	w.fails(t, app.ErrSlugTaken, func(ctx context.Context, tx Repos) error {
		return tx.Apps.Save(ctx, app.Restore(w.bareApp(elsewhere, "name-slug"), 0))
	})
	w.readApp(t, app.Restore(w.bareApp(org, "name-slug"), 0))
}

func (w *world) resourcesRace(t *testing.T) {
	const many = 8
	orgs := []workspace.ID{w.lab(t, "race-one@example.com"), w.lab(t, "race-two@example.com")}
	var all sync.WaitGroup
	errs := make([]error, many)
	for i := range many {
		made := w.bareResource(orgs[i%2], "race")
		wanted := w.bareApp(orgs[i%2], "race")
		all.Go(func() {
			errs[i] = w.unit.Do(t.Context(), func(tx Repos) error {
				if i < many/2 {
					return tx.Resources.Save(t.Context(), resource.Restore(made, 0))
				}
				return tx.Apps.Save(t.Context(), app.Restore(wanted, 0))
			})
		})
	}
	all.Wait()
	held, _ := w.holder(t, "race")
	stored := 0
	for i, err := range errs {
		switch {
		case err == nil:
			stored++
			equal(t, "whose it is", orgs[i%2], held.OrgID)
		case !errors.Is(err, resource.ErrTaken) && !errors.Is(err, resource.ErrRegistered) && !errors.Is(err, app.ErrSlugTaken):
			t.Errorf("got %v", err)
		}
	}
	if stored == 0 || stored > 2 {
		t.Errorf("%d were stored, want an app and a resource of one workspace at most", stored)
	}
}

func (w *world) resourcesInTurn(t *testing.T) {
	const name = "https://turn.example.com"
	org, elsewhere := w.lab(t, "turn@example.com"), w.lab(t, "turn-elsewhere@example.com")
	w.saveResource(t, w.bareResource(org, name), 0)
	unit := func(change func(ctx context.Context, tx Repos) error) error {
		return w.unit.Do(t.Context(), func(tx Repos) error { return change(t.Context(), tx) })
	}
	inTurn(t, func(held func()) error {
		return unit(func(ctx context.Context, tx Repos) error {
			_, _, err := tx.Resources.Holder(ctx, name)
			held()
			return errors.Join(err, tx.Resources.Assign(ctx, name, elsewhere))
		})
	}, func(held func()) error {
		return unit(func(ctx context.Context, tx Repos) error {
			found, _, err := tx.Resources.Holder(ctx, name)
			held()
			equal(t, "who has it after the move", found.OrgID, elsewhere)
			return err
		})
	})
}

func (w *world) resourcesAssign(t *testing.T) {
	const name = "https://moved.example.com"
	org, elsewhere := w.lab(t, "moved@example.com"), w.lab(t, "moved-elsewhere@example.com")
	made := w.saveResource(t, w.bareResource(org, name), 0)
	w.readApp(t, app.Restore(w.bareApp(org, "moved-slug"), 0))
	assign := func(name string, org workspace.ID) {
		t.Helper()
		w.do(t, func(ctx context.Context, tx Repos) error { return tx.Resources.Assign(ctx, name, org) })
	}
	for _, step := range []struct {
		to    workspace.ID
		epoch int64
	}{{org, 0}, {elsewhere, 1}, {elsewhere, 1}, {"", 2}, {org, 3}} {
		assign(name, step.to)
		held, _ := w.holder(t, name)
		equal(t, "who has it", held.OrgID, step.to)
		equal(t, "its epoch", held.Epoch, step.epoch)
	}
	w.fails(t, resource.ErrSlug, func(ctx context.Context, tx Repos) error { return tx.Resources.Assign(ctx, "moved-slug", elsewhere) })
	assign("moved-slug", org)
	if err := w.unit.Do(t.Context(), func(tx Repos) error { return tx.Resources.Assign(t.Context(), "https://nobody.example.com", org) }); err == nil {
		t.Error("an audience that nobody has was given away")
	}
	before, _ := w.holder(t, name)
	w.saveResource(t, made.Snapshot(), made.Version())
	after, _ := w.holder(t, name)
	equal(t, "that its version tells of a change", after.Version > before.Version, true)
}

func (w *world) resourcesGone(t *testing.T) {
	const name = "https://gone.example.com"
	person := w.person(t, "gone@example.com")
	org, elsewhere := w.team(t, true, "owner", person.ID()), w.lab(t, "gone-elsewhere@example.com")
	made := w.saveResource(t, w.bareResource(org, name), 0)
	w.readApp(t, app.Restore(w.bareApp(org, "gone-slug"), 0))
	before, _ := w.holder(t, name)
	made.Delete()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Resources.Delete(ctx, made) })
	held, found := w.holder(t, name)
	equal(t, "what is left", held, &resource.Audience{Name: name, OrgID: org, Version: before.Version + 1})
	equal(t, "its resource", found == nil, true)
	w.saveResource(t, w.bareResource(org, name), 0)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, person) })
	for _, one := range []string{name, "gone-slug"} {
		held, found = w.holder(t, one)
		equal(t, one+" without its workspace", found == nil && held.OrgID == org && held.Origin == "", true)
	}
	w.fails(t, resource.ErrTaken, func(ctx context.Context, tx Repos) error {
		return tx.Resources.Save(ctx, resource.Restore(w.bareResource(elsewhere, name), 0))
	})
}

func (w *world) resourcesClaimed(t *testing.T) {
	org := w.lab(t, "claimed@example.com")
	w.readApp(t, app.Restore(w.bareApp(org, "claimed-slug"), 0))
	one := w.saveResource(t, w.bareResource(org, "https://claimed.example.com/1"), 0)
	w.saveResource(t, w.bareResource(org, "https://claimed.example.com/2"), 0)
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Resources.Delete(ctx, one) })
	count := func(held func()) error {
		return w.unit.Do(t.Context(), func(tx Repos) error {
			claimed, err := tx.Resources.Claimed(t.Context(), org)
			held()
			equal(t, "names", claimed, 2)
			return err
		})
	}
	inTurn(t, count, count)
	w.fails(t, workspace.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Resources.Claimed(ctx, like(w, workspace.ID("")))
		return err
	})
}

func (w *world) resourcesListed(t *testing.T) {
	org, elsewhere := w.lab(t, "listed@example.com"), w.lab(t, "listed-elsewhere@example.com")
	var made []resource.Snapshot
	for i, owner := range []workspace.ID{org, org, elsewhere, ""} {
		made = append(made, w.saveResource(t, w.bareResource(owner, "https://listed.example.com/"+string(rune('a'+i))), 0).Snapshot())
	}
	directory := w.store.ResourceDirectory
	for name, c := range map[string]struct {
		query machines.ResourceQuery
		want  []resource.Snapshot
	}{
		"a workspace's":  {machines.ResourceQuery{Org: org}, []resource.Snapshot{made[1], made[0]}},
		"a page":         {machines.ResourceQuery{Org: org, Limit: 1}, []resource.Snapshot{made[1]}},
		"the next page":  {machines.ResourceQuery{Org: org, Before: made[1].ID}, []resource.Snapshot{made[0]}},
		"the newest":     {machines.ResourceQuery{Limit: 2}, []resource.Snapshot{made[3], made[2]}},
		"of nobody":      {machines.ResourceQuery{Org: like(w, workspace.ID(""))}, []resource.Snapshot{}},
		"below the last": {machines.ResourceQuery{Org: elsewhere, Before: made[2].ID}, []resource.Snapshot{}},
	} {
		found, err := directory.List(t.Context(), c.query)
		is(t, name, err, nil)
		equal(t, name, found, c.want)
	}
	for org, want := range map[workspace.ID]error{"": nil, elsewhere: nil, like(w, workspace.ID("")): resource.ErrNotFound} {
		found, err := directory.Find(t.Context(), org, made[2].ID)
		is(t, "finding in "+org.String(), err, want)
		equal(t, "what was found in "+org.String(), found.ID == made[2].ID, want == nil)
	}
}
