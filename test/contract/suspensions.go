package contract

import (
	"context"
	"errors"
	"testing"
	"time"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/liveness"
	"gatehouse.internal/domain/m2m"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound"
	"gatehouse.internal/ports/outbound/machines"
	"gatehouse.internal/ports/outbound/ops"
)

// AppOwners checks what becomes of apps while the owner of their personal workspace is
// disabled: in what admissions answer, in what is issued, and in lists.
func AppOwners(t *testing.T, open Opener) {
	w := newWorld(t, open)
	owner := w.person(t, "app-owner@example.com").ID()
	personal, shared := w.team(t, true, "owner", owner), w.team(t, false, "owner", owner)
	own, others := w.machine(t, w.worker(personal, "of-one")), w.machine(t, w.worker(shared, "of-many"))
	before := map[string]m2m.Issued{"of-one": w.issue(t, own, "users:read", ""), "of-many": w.issue(t, others, "users:read", "")}
	now := noon().Add(time.Minute)
	later := now.Add(time.Minute)
	active := true
	for name, c := range map[string]struct {
		stored user.Availability
		usable bool
	}{
		"active":           {user.Availability{Status: user.Active}, true},
		"disabled":         {user.Availability{Status: user.Disabled}, false},
		"disabled until":   {user.Availability{Status: user.Disabled, DisabledUntil: later}, false},
		"disabled till":    {user.Availability{Status: user.Disabled, DisabledUntil: now}, true},
		"enabled and then": {user.Availability{Status: user.Active, DisabledUntil: later}, true},
	} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			held, err := tx.Users.ByID(ctx, owner)
			if err != nil {
				return err
			}
			s := held.Snapshot()
			s.Status, s.DisabledUntil = c.stored.Status, c.stored.DisabledUntil
			return tx.Users.Save(ctx, user.Restore(s, held.Version()))
		})
		found := w.token(t, before["of-one"].JTI)
		equal(t, name+": the owner of a token", found.Owner, c.stored)
		equal(t, name+": whether it is live", found.Failing(now) == 0, c.usable)
		client := w.admitted(t, outbound.AdmissionAsk{Client: "of-one"}).Client
		equal(t, name+": the owner of a client", client.Owner, c.stored)
		equal(t, name+": whether it gets another", w.issued(t, client, now), c.usable)
		listed := w.activeTokens(t, machines.TokenQuery{Org: personal, Active: &active, Limit: 50, Now: now})
		equal(t, name+": whether its tokens are listed as active", listed > 0, c.usable)
		dead := false
		all := w.activeTokens(t, machines.TokenQuery{Org: personal, Limit: 50, Now: now})
		equal(t, name+": that some are listed at all", w.activeTokens(t, machines.TokenQuery{Org: personal, Active: &dead, Limit: 50, Now: now}), 0)
		equal(t, name+": whether they are active", all > 0, c.usable)

		many := w.admitted(t, outbound.AdmissionAsk{Client: "of-many"}).Client
		equal(t, name+": of a shared workspace", w.token(t, before["of-many"].JTI).Owner, user.Availability{})
		equal(t, name+": a client of a shared workspace", many.Owner, user.Availability{})
		equal(t, name+": whether that gets another", w.issued(t, many, now), true)
	}
}

// issued reports whether a token of a client could be stored at a moment.
func (w *world) issued(t *testing.T, of *outbound.Client, now time.Time) bool {
	t.Helper()
	err := w.store.TokenIssues.Issue(t.Context(), m2m.Issued{
		JTI: w.ids.UUID(), App: of.App.ID, AppVersion: of.Version, Audience: "https://auth.example.com",
		IssuedAt: now, ExpiresAt: now.Add(time.Hour),
	}, nil)
	if err != nil && !errors.Is(err, aggregate.ErrConflict) {
		t.Fatal(err)
	}
	return err == nil
}

// activeTokens counts the tokens in a list that say of themselves that they are good.
func (w *world) activeTokens(t *testing.T, query machines.TokenQuery) int {
	t.Helper()
	listed, err := w.store.TokenDirectory.List(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	active := 0
	for _, one := range listed {
		if one.Active {
			active++
		}
	}
	return active
}

// deleted deletes a workspace.
func (w *world) deleted(t *testing.T, org workspace.ID) {
	t.Helper()
	found := w.workspace(t, org)
	if err := found.Delete(found.Snapshot().Slug); err != nil {
		t.Fatal(err)
	}
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Deletions.Delete(ctx, found) })
}

// empty removes what is left of a workspace, and returns how much went, and whether all did.
func (w *world) empty(t *testing.T, org workspace.ID, most int) (removed int, gone bool) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		removed, gone, err = tx.Deletions.Empty(ctx, org, most)
		return err
	})
	return removed, gone
}

// suspend suspends a workspace, or lifts that.
func (w *world) suspend(t *testing.T, org workspace.ID, at time.Time) {
	t.Helper()
	w.reshaped(t, org, func(s *workspace.Snapshot) { s.DisabledAt = at })
}

// workspacesDeleted shows what is gone at once, for every question.
func (w *world) workspacesDeleted(t *testing.T) {
	person := w.person(t, "deleted-member@example.com").ID()
	home, org := w.team(t, true, role.Owner, person), w.team(t, false, role.Owner, person)
	stale, slug := w.workspace(t, org), w.workspace(t, org).Snapshot().Slug
	w.suspend(t, org, noon())
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Deletions.Delete(ctx, stale) })
	w.suspend(t, org, time.Time{})
	active, elsewhere := w.session(t, w.begin(person, org, noon())), w.session(t, w.begin(person, home, noon()))
	machine := w.machine(t, w.worker(org, "of-deleted"))
	issued := w.issue(t, machine, "users:read", "")
	w.deleted(t, org)
	for name, ask := range map[string]func(ctx context.Context, tx Repos) error{
		"the workspace": func(ctx context.Context, tx Repos) error { _, err := tx.Workspaces.ByID(ctx, org); return err },
		"the book":      func(ctx context.Context, tx Repos) error { _, err := tx.Books.Hold(ctx, org); return err },
	} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			is(t, name, ask(ctx, tx), workspace.ErrNotFound)
			return nil
		})
	}
	w.fails(t, workspace.ErrNotMember, func(ctx context.Context, tx Repos) error {
		_, err := tx.Workspaces.Member(ctx, org, person)
		return err
	})
	moved := w.admitted(t, outbound.AdmissionAsk{Session: active.ID()}).Identity.Session
	equal(t, "where the session is", moved.OrgID, home)
	other := w.admitted(t, outbound.AdmissionAsk{Session: elsewhere.ID(), Org: org}).Identity
	equal(t, "whether a session acts there", other.Visit == nil, true)
	equal(t, "a token", w.admitted(t, outbound.AdmissionAsk{Token: issued.JTI}).Token == nil, true)
	equal(t, "a client", w.admitted(t, outbound.AdmissionAsk{Client: "of-deleted"}).Client == nil, true)
	equal(t, "whether the slug is taken", w.slugTaken(t, slug), true)
	// One that entered while it was being deleted, or is still to be moved, is at home.
	late := w.session(t, w.begin(person, org, noon()))
	found := w.admitted(t, outbound.AdmissionAsk{Session: late.ID()}).Identity
	equal(t, "where a late session is", found.Session.OrgID, home)
	equal(t, "what it holds", found.Held, role.MemberGrants{Org: home, Grants: []workspace.Grant{{Role: role.Owner}}})
	for gone := false; !gone; {
		_, gone = w.empty(t, org, 10)
	}
	equal(t, "where a late session is then", w.admitted(t, outbound.AdmissionAsk{Session: late.ID()}).Identity.Session.OrgID, home)
	equal(t, "whether the slug is taken then", w.slugTaken(t, slug), true)
}

// workspacesEmptied empties in batches what was deleted, and nothing else.
func (w *world) workspacesEmptied(t *testing.T) {
	var people []user.ID
	for _, name := range []string{"a", "b", "c"} {
		people = append(people, w.person(t, "emptied-"+name+"@example.com").ID())
	}
	org, kept := w.team(t, false, role.Owner, people...), w.team(t, false, role.Owner, people...)
	removed, gone := w.empty(t, kept, 10)
	equal(t, "what goes of one that nobody deleted", removed, 0)
	equal(t, "whether there is anything to empty", gone, true)
	equal(t, "its owners but one", w.otherOwners(t, kept, people[0]), 2)
	w.deleted(t, org)
	var left int
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		left, err = tx.Deletions.Left(ctx, org)
		return err
	})
	equal(t, "what is left", left, 3)
	for _, want := range []int{2, 1, 0} {
		removed, gone = w.empty(t, org, 2)
		equal(t, "what a batch removes", removed, want)
		equal(t, "whether all is gone", gone, want == 0)
	}
	// What no job emptied goes after a while.
	lost := w.team(t, false, role.Owner, people...)
	w.deleted(t, lost)
	equal(t, "purged at once", w.purge(t, ops.PurgeWorkspaces, w.clock.Now()), 0)
	equal(t, "purged later", w.purge(t, ops.PurgeWorkspaces, w.clock.Now().Add(8*24*time.Hour)), 1)
	equal(t, "the owners but one of another", w.otherOwners(t, kept, people[0]), 2)
}

// otherOwners counts owners.
func (w *world) otherOwners(t *testing.T, org workspace.ID, except user.ID) (count int) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) (err error) {
		count, err = tx.Workspaces.OtherOwners(ctx, org, except)
		return err
	})
	return count
}

// Suspensions checks what admissions, issues of tokens and lists make of a workspace that is
// suspended.
func Suspensions(t *testing.T, open Opener) {
	w := newWorld(t, open)
	person := w.person(t, "suspended@example.com").ID()
	home, org := w.team(t, true, role.Owner, person), w.team(t, false, role.Owner, person)
	there, elsewhere := w.session(t, w.begin(person, org, noon())), w.session(t, w.begin(person, home, noon()))
	machine := w.machine(t, w.worker(org, "of-suspended"))
	before, now := w.issue(t, machine, "users:read", ""), noon().Add(time.Minute)
	for _, suspended := range []bool{true, false} {
		at := time.Time{}
		if suspended {
			at = noon()
		}
		w.suspend(t, org, at)
		for name, ask := range map[string]outbound.AdmissionAsk{
			"a session":              {Session: there.ID()},
			"a session with factors": {Session: there.ID(), Factors: true},
			"a visit":                {Session: elsewhere.ID(), Org: org},
		} {
			equal(t, name, w.admitted(t, ask).Identity.Suspended, suspended)
		}
		equal(t, "a session elsewhere", w.admitted(t, outbound.AdmissionAsk{Session: elsewhere.ID()}).Identity.Suspended, false)
		equal(t, "a visit elsewhere", w.admitted(t, outbound.AdmissionAsk{Session: there.ID(), Org: home}).Identity.Suspended, false)
		token, client := w.token(t, before.JTI), w.admitted(t, outbound.AdmissionAsk{Client: "of-suspended"}).Client
		want := map[bool]liveness.Reasons{true: liveness.AppSuspended}
		equal(t, "what is against a token", token.Failing(now), want[suspended])
		equal(t, "a client", client.Suspended, suspended)
		equal(t, "whether it gets another token", w.issued(t, client, now), !suspended)
		for _, active := range []bool{true, false} {
			query := machines.TokenQuery{Org: org, Active: &active, Limit: 50, Now: now}
			listed, err := w.store.TokenDirectory.List(t.Context(), query)
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "whether tokens are listed", len(listed) > 0, active != suspended)
			equal(t, "whether all that are are good", w.activeTokens(t, query) == len(listed), active || len(listed) == 0)
		}
	}
}
