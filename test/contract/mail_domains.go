package contract

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/app"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/maildomain"
	"gatehouse.internal/domain/resource"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
)

// MailDomains checks workspaces.MailDomains, DueDomains and MailDomainDirectory.
func MailDomains(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.domainsRoundTrip)
	t.Run("is claimed once by a workspace", w.domainsClaimed)
	t.Run("is verified for one workspace", w.domainsVerified)
	t.Run("is verified once by two at once", w.domainsRace)
	t.Run("opens to who does not belong", w.domainsOpen)
	t.Run("is claimed once when it is due", w.domainsDue)
	t.Run("is freed", w.domainsFreed)
}

func (w *world) claimed(org workspace.ID, name email.Domain) maildomain.Snapshot {
	return maildomain.Snapshot{
		ID: like(w, maildomain.ID("")), OrgID: org, Name: name, Proof: "proof of " + string(name), Rules: maildomain.Rules{Role: role.Member}, CreatedAt: noon(),
	}
}

// saveDomain stores a claim, also one that is verified.
func (w *world) saveDomain(t *testing.T, s maildomain.Snapshot) maildomain.Snapshot {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Domains.Save(ctx, maildomain.Restore(s, 0)) })
	return s
}

// verify verifies a claim.
func (w *world) verify(ctx context.Context, tx Repos, s maildomain.Snapshot) error {
	d, err := tx.Domains.ByID(ctx, s.OrgID, s.ID)
	if err != nil {
		return err
	}
	d.Found(noon())
	return tx.Domains.Save(ctx, d)
}

func (w *world) domainsRoundTrip(t *testing.T) {
	want := w.claimed(w.host(t), "round.example.com")
	want.Rules = maildomain.Rules{AutoJoin: true, Role: "rol_01jd7x9k2mf3q8v5t0abcdefgh", RequireSSO: true}
	want.VerifiedAt, want.CheckedAt, want.CheckAt, want.MissingSince = noon(), noon().Add(time.Hour), noon().Add(2*time.Hour), noon().Add(3*time.Hour)
	w.saveDomain(t, want)
	found, err := w.store.Domains.Find(t.Context(), want.OrgID, want.ID)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "the claim", found, want)
	w.do(t, func(ctx context.Context, tx Repos) error {
		d, err := tx.Domains.ByID(ctx, want.OrgID, want.ID)
		if err != nil {
			return err
		}
		d.Update(maildomain.Rules{Role: role.Member})
		want = d.Snapshot()
		return tx.Domains.Save(ctx, d)
	})
	listed, err := w.store.Domains.List(t.Context(), want.OrgID)
	if err != nil || len(listed) != 1 {
		t.Fatalf("listed %v, %v", listed, err)
	}
	equal(t, "the changed claim", listed[0], want)
	w.fails(t, aggregate.ErrConflict, func(ctx context.Context, tx Repos) error {
		return tx.Domains.Save(ctx, maildomain.Restore(want, 1))
	})
	w.fails(t, aggregate.ErrConflict, func(ctx context.Context, tx Repos) error {
		return tx.Domains.Delete(ctx, maildomain.Restore(want, 1))
	})
	for _, org := range []workspace.ID{w.host(t), ""} {
		w.fails(t, maildomain.ErrNotFound, func(ctx context.Context, tx Repos) error {
			_, err := tx.Domains.ByID(ctx, org, want.ID)
			return err
		})
		if _, err := w.store.Domains.Find(t.Context(), org, want.ID); !errors.Is(err, maildomain.ErrNotFound) {
			t.Errorf("found from %q: %v", org, err)
		}
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Domains.Delete(ctx, maildomain.Restore(want, 2)) })
	if _, err := w.store.Domains.Find(t.Context(), want.OrgID, want.ID); !errors.Is(err, maildomain.ErrNotFound) {
		t.Errorf("found once it was deleted: %v", err)
	}
}

func (w *world) domainsClaimed(t *testing.T) {
	org := w.host(t)
	w.saveDomain(t, w.claimed(org, "b.example.com"))
	w.saveDomain(t, w.claimed(w.host(t), "b.example.com"))
	w.fails(t, maildomain.ErrClaimed, func(ctx context.Context, tx Repos) error {
		return tx.Domains.Save(ctx, maildomain.Restore(w.claimed(org, "b.example.com"), 0))
	})
	w.saveDomain(t, w.claimed(org, "a.example.com"))
	w.do(t, func(ctx context.Context, tx Repos) error {
		all, err := tx.Domains.OfWorkspace(ctx, org)
		if len(all) != 2 || all[0].Name != "a.example.com" {
			t.Errorf("of the workspace: %v", all)
		}
		return err
	})
}

func (w *world) domainsVerified(t *testing.T) {
	first, second := w.saveDomain(t, w.claimed(w.host(t), "one.example.com")), w.saveDomain(t, w.claimed(w.host(t), "one.example.com"))
	w.do(t, func(ctx context.Context, tx Repos) error { return w.verify(ctx, tx, first) })
	w.do(t, func(ctx context.Context, tx Repos) error {
		if err := w.verify(ctx, tx, second); !errors.Is(err, maildomain.ErrHeld) {
			t.Errorf("verified for two: %v", err)
		}
		// The transaction goes on.
		d, err := tx.Domains.ByID(ctx, first.OrgID, first.ID)
		if err != nil {
			return err
		}
		return tx.Domains.Delete(ctx, d)
	})
	w.do(t, func(ctx context.Context, tx Repos) error { return w.verify(ctx, tx, second) })
}

func (w *world) domainsRace(t *testing.T) {
	const rivals = 4
	claims := make([]maildomain.Snapshot, rivals)
	for i := range claims {
		claims[i] = w.saveDomain(t, w.claimed(w.host(t), "race.example.com"))
	}
	failures := make([]error, rivals)
	var racing sync.WaitGroup
	for i, one := range claims {
		racing.Go(func() {
			failures[i] = w.store.Unit.Do(t.Context(), func(tx Repos) error { return w.verify(t.Context(), tx, one) })
		})
	}
	racing.Wait()
	won := 0
	for _, err := range failures {
		if err == nil {
			won++
		} else if !errors.Is(err, maildomain.ErrHeld) {
			t.Errorf("a loser hears %v", err)
		}
	}
	equal(t, "who won", won, 1)
}

func (w *world) domainsOpen(t *testing.T) {
	org, person := w.host(t), w.person(t, "opened@example.com").ID()
	claim := w.claimed(org, "open.example.com")
	claim.AutoJoin = true
	w.saveDomain(t, claim)
	opens := func(want bool) { t.Helper(); w.opens(t, claim, person, want) }
	change := func(how func(d *maildomain.Domain)) { t.Helper(); w.changeDomain(t, claim, how) }
	suspend := func(at time.Time) { t.Helper(); w.suspend(t, org, at) }
	joins := func(want bool) {
		t.Helper()
		equal(t, "whether people of some domain join", w.entrant(t, person, "").Joins, want)
	}
	opens(false)
	joins(false)
	change(func(d *maildomain.Domain) { d.Found(noon()) })
	opens(true)
	joins(true)
	suspend(noon())
	opens(false)
	suspend(time.Time{})
	opens(true)
	change(func(d *maildomain.Domain) { d.Update(maildomain.Rules{Role: role.Member}) })
	opens(false)
	change(func(d *maildomain.Domain) { d.Update(maildomain.Rules{Role: role.Member, AutoJoin: true}) })
	opens(true)
	w.do(t, func(ctx context.Context, tx Repos) error {
		return tx.Workspaces.SaveMember(ctx, workspace.Join(org, person, role.Member, noon()))
	})
	opens(false)
}

// opens reports whether somebody joins by a claim.
func (w *world) opens(t *testing.T, claim maildomain.Snapshot, person user.ID, want bool) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Domains.Open(ctx, claim.Name, person)
		if want != (err == nil) || (!want && !errors.Is(err, maildomain.ErrNotFound)) || (want && found.ID != claim.ID) {
			t.Errorf("opens: %v, %v, want %t", found, err, want)
		}
		return nil
	})
}

func (w *world) changeDomain(t *testing.T, claim maildomain.Snapshot, how func(d *maildomain.Domain)) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		d, err := tx.Domains.ByID(ctx, claim.OrgID, claim.ID)
		if err != nil {
			return err
		}
		how(d)
		return tx.Domains.Save(ctx, d)
	})
}

func (w *world) domainsDue(t *testing.T) {
	due := map[maildomain.ID]bool{}
	for i, name := range []email.Domain{"due1.example.com", "due2.example.com", "due3.example.com", "later.example.com", "pending.example.com"} {
		one := w.claimed(w.host(t), name)
		one.CheckAt = noon().Add(-time.Duration(100-i) * 24 * time.Hour)
		if name == "later.example.com" {
			one.CheckAt = noon().Add(time.Hour)
		}
		if name != "pending.example.com" {
			one.VerifiedAt = noon()
		}
		due[w.saveDomain(t, one).ID] = i < 3
	}
	claim := func(most int) (ids []maildomain.ID) {
		t.Helper()
		w.do(t, func(ctx context.Context, tx Repos) error {
			found, err := tx.Due.Claim(ctx, most, noon().Add(-90*24*time.Hour), noon())
			ids = nil
			for _, one := range found {
				ids = append(ids, one.ID)
			}
			return err
		})
		return ids
	}
	var claimed []maildomain.ID
	var guard sync.Mutex
	var racing sync.WaitGroup
	for range 3 {
		racing.Go(func() {
			got := claim(1)
			guard.Lock()
			defer guard.Unlock()
			claimed = append(claimed, got...)
		})
	}
	racing.Wait()
	claimed = append(claimed, claim(5)...)
	slices.Sort(claimed)
	if len(slices.Compact(claimed)) != 3 || len(claimed) != 3 {
		t.Errorf("claimed %v", claimed)
	}
	for _, id := range claimed {
		if !due[id] {
			t.Errorf("%s was not due", id)
		}
	}
}

func (w *world) domainsFreed(t *testing.T) {
	org, other := w.host(t), w.host(t)
	held := w.claimed(org, "freed.example.com")
	held.VerifiedAt, held.CheckAt = noon(), noon().Add(time.Hour)
	w.saveDomain(t, held)
	waiting, kept := w.saveDomain(t, w.claimed(other, "freed.example.com")), w.saveDomain(t, w.claimed(other, "kept.example.com"))
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Domains.Free(ctx, org) })
	w.do(t, func(ctx context.Context, tx Repos) error { return w.verify(ctx, tx, waiting) })
	listed, err := w.store.Domains.List(t.Context(), other)
	if err != nil || len(listed) != 2 || listed[1].ID != kept.ID {
		t.Errorf("of the other: %v, %v", listed, err)
	}
	if listed, err := w.store.Domains.List(t.Context(), org); err != nil || len(listed) != 0 {
		t.Errorf("left: %v, %v", listed, err)
	}
}

// proved stores a verified claim of a workspace to a domain.
func (w *world) proved(t *testing.T, org workspace.ID, name email.Domain) {
	t.Helper()
	s := w.claimed(org, name)
	s.VerifiedAt, s.CheckAt = noon(), noon()
	w.saveDomain(t, s)
}

func (w *world) resourcesDomains(t *testing.T) {
	org, elsewhere := w.lab(t, "owner@example.com"), w.lab(t, "owner-elsewhere@example.com")
	w.proved(t, org, "owner.example")
	w.proved(t, elsewhere, "labs.owner.example")
	w.saveDomain(t, w.claimed(elsewhere, "pending.example"))
	for audience, want := range map[string]workspace.ID{
		"https://owner.example": org, "https://API.Owner.example:8443/x": org, "https://a.labs.owner.example": elsewhere,
		"https://pending.example": "", "https://xowner.example": "", "http://owner.example": "", "owner.example": "",
	} {
		read, err := w.store.ResourceDirectory.DomainOwner(t.Context(), audience)
		is(t, "reading the owner of "+audience, err, nil)
		equal(t, "the owner of "+audience, read, want)
		w.do(t, func(ctx context.Context, tx Repos) error {
			found, err := tx.Audiences.DomainOwner(ctx, audience)
			equal(t, "the owner of "+audience+" in a unit", found, want)
			return err
		})
	}
}

func (w *world) resourcesYielding(t *testing.T) {
	org, elsewhere := w.lab(t, "yielding@example.com"), w.lab(t, "yielding-elsewhere@example.com")
	hold := func(owner workspace.ID, origin resource.Origin, name string) *resource.Resource {
		s := w.bareResource(owner, name)
		s.Origin = origin
		return w.saveResource(t, s, 0)
	}
	for _, name := range []string{"https://b.yields.example/x", "https://A.Yields.example", "https://other.example/yields.example", "https://xyields.example", "http://yields.example"} {
		hold(elsewhere, resource.FirstUse, name)
	}
	deleted := hold(elsewhere, resource.ByWorkspace, "https://deleted.yields.example")
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Resources.Delete(ctx, deleted) })
	hold(elsewhere, resource.ByWorkspace, "https://registered.yields.example")
	hold(elsewhere, resource.BySuperadmin, "https://confirmed.yields.example")
	hold(org, resource.FirstUse, "https://own.yields.example")
	hold("", resource.BySuperadmin, "https://instance.yields.example")
	w.readApp(t, app.Restore(w.bareApp(elsewhere, "yields"), 0))
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Audiences.Yielding(ctx, "yields.example", org)
		equal(t, "what yields", found, []string{"https://A.Yields.example", "https://b.yields.example/x", "https://deleted.yields.example"})
		return err
	})
}
