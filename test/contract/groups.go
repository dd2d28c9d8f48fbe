package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Groups checks workspaces.Groups, GroupDirectory and GroupMemberships.
func Groups(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.groupsRoundTrip)
	t.Run("keeps names apart", w.groupsTaken)
	t.Run("lists groups", w.groupsListed)
	t.Run("holds them", w.groupsHeld)
	t.Run("notes them with members", w.groupsMembers)
	t.Run("notes them whoever comes between", w.groupsRaces)
}

// form stores a group of a workspace.
func (w *world) form(t *testing.T, org workspace.ID, name string, keys ...string) group.Snapshot {
	t.Helper()
	draft := group.Draft{ID: like(w, group.ID("")), OrgID: org, Name: workspace.Label(name), Description: "Łab 'A'"}
	for _, key := range keys {
		draft.Roles = append(draft.Roles, workspace.RoleRef{Key: key})
	}
	made := group.Form(draft, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Groups.Save(ctx, made) })
	return made.Snapshot()
}

func (w *world) groupsRoundTrip(t *testing.T) {
	org := w.team(t, false, role.Owner)
	made := group.Form(group.Draft{
		ID: like(w, group.ID("")), OrgID: org, Name: "Ops", Description: "Łab 'A'", ExternalID: "dept-42", Roles: []workspace.RoleRef{{Key: "member"}, {Key: "admin"}},
	}, noon())
	want := made.Snapshot()
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Groups.Save(ctx, made) })
	directory := w.store.GroupDirectory
	found, err := directory.Find(t.Context(), org, want.ID)
	equal(t, "the group", found, want)
	is(t, "find it", err, nil)
	_, err = directory.Find(t.Context(), like(w, org), want.ID)
	is(t, "find it elsewhere", err, group.ErrNotFound)
	w.do(t, func(ctx context.Context, tx Repos) error {
		count, err := tx.Groups.Count(ctx, org)
		equal(t, "groups", count, 1)
		return err
	})
	w.fails(t, group.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Groups.ByID(ctx, like(w, org), want.ID)
		return err
	})
}

func (w *world) groupsTaken(t *testing.T) {
	org, other := w.team(t, false, role.Owner), w.team(t, false, role.Owner)
	save := func(org workspace.ID, name workspace.Label, external string) func(ctx context.Context, tx Repos) error {
		return func(ctx context.Context, tx Repos) error {
			return tx.Groups.Save(ctx, group.Form(group.Draft{ID: like(w, group.ID("")), OrgID: org, Name: name, ExternalID: external}, noon()))
		}
	}
	w.do(t, save(org, "Éngineers", "42"))
	w.do(t, save(other, "éngineers", "42"))
	w.do(t, save(org, "one", ""))
	w.do(t, save(org, "two", ""))
	w.fails(t, group.ErrNameTaken, save(org, "éNGINEERS", ""))
	w.fails(t, group.ErrExternalTaken, save(org, "three", "42"))
}

func (w *world) groupsListed(t *testing.T) {
	person := w.person(t, "lister@example.com").ID()
	org := w.team(t, false, role.Member, person)
	ops, opsEast, dev := w.form(t, org, "Ops"), w.form(t, org, "OPS East"), w.form(t, org, "Dev%")
	w.form(t, w.team(t, false, role.Member, person), "Ops")
	w.enlist(t, opsEast, person)
	w.enlist(t, dev, person)
	list := func(q workspaces.GroupQuery) []string {
		q.Org = org
		found, err := w.store.GroupDirectory.List(t.Context(), q)
		is(t, "list", err, nil)
		names := []string{}
		for _, one := range found {
			names = append(names, string(one.Name))
		}
		return names
	}
	equal(t, "all", list(workspaces.GroupQuery{}), []string{"Dev%", "OPS East", "Ops"})
	equal(t, "a page", list(workspaces.GroupQuery{Before: opsEast.ID, Limit: 1}), []string{"Ops"})
	equal(t, "by name", list(workspaces.GroupQuery{Text: "oPs"}), []string{"OPS East", "Ops"})
	equal(t, "by another name", list(workspaces.GroupQuery{Text: "%"}), []string{})
	equal(t, "of a member", list(workspaces.GroupQuery{User: person}), []string{"Dev%", "OPS East"})
	memberships := w.store.GroupMemberships
	in, err := memberships.GroupsOf(t.Context(), org, person)
	is(t, "groups of a member", err, nil)
	equal(t, "groups of a member", in, []group.ID{opsEast.ID, dev.ID})
	whose, err := memberships.MembersOf(t.Context(), org, dev.ID, "", 10)
	is(t, "members of a group", err, nil)
	equal(t, "members of a group", whose, []user.ID{person})
	for _, none := range []group.Snapshot{ops, {ID: dev.ID, OrgID: like(w, org)}} {
		whose, err = memberships.MembersOf(t.Context(), none.OrgID, none.ID, "", 10)
		equal(t, "members of no group", len(whose), 0)
		is(t, "members of no group", err, nil)
	}
}

func (w *world) groupsHeld(t *testing.T) {
	org := w.team(t, false, role.Member)
	one, two, foreign := w.form(t, org, "one"), w.form(t, org, "two"), w.form(t, w.team(t, false, role.Member), "one")
	w.do(t, func(ctx context.Context, tx Repos) error {
		has, err := tx.GroupHolds.Hold(ctx, org, []group.ID{two.ID, foreign.ID, one.ID, one.ID})
		equal(t, "held", has, []group.ID{one.ID, two.ID})
		return err
	})
}

func (w *world) enlist(t *testing.T, g group.Snapshot, people ...user.ID) {
	t.Helper()
	w.do(t, func(ctx context.Context, tx Repos) error {
		_, err := tx.Groups.Add(ctx, g, people, noon())
		return err
	})
}

// noted are the groups that a member is in, as admission reads them.
func (w *world) noted(t *testing.T, org workspace.ID, person user.ID) []group.ID {
	t.Helper()
	held, err := w.store.Rights.Holding(t.Context(), org, person)
	if err != nil {
		t.Fatal(err)
	}
	return held.Groups
}

func (w *world) groupsMembers(t *testing.T) {
	a, b, stranger := w.person(t, "group-a@example.com").ID(), w.person(t, "group-b@example.com").ID(), w.person(t, "group-c@example.com").ID()
	org := w.team(t, false, role.Member, a, b)
	one, two, three := w.form(t, org, "one"), w.form(t, org, "two"), w.form(t, org, "three")
	w.fails(t, workspace.ErrNotMember, func(ctx context.Context, tx Repos) error {
		_, err := tx.Groups.Add(ctx, one, []user.ID{a, stranger}, noon())
		return err
	})
	equal(t, "groups of nobody added", w.noted(t, org, a) == nil, true)
	w.do(t, func(ctx context.Context, tx Repos) error {
		added, err := tx.Groups.Add(ctx, one, []user.ID{b, a, a}, noon())
		equal(t, "added", added, []user.ID{a, b})
		return err
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		added, err := tx.Groups.Add(ctx, one, []user.ID{a}, noon())
		equal(t, "added again", len(added), 0)
		return err
	})
	for _, g := range []group.Snapshot{two, three} {
		w.enlist(t, g, a)
	}
	equal(t, "groups of one", w.noted(t, org, a), []group.ID{one.ID, two.ID, three.ID})
	equal(t, "groups of the other", w.noted(t, org, b), []group.ID{one.ID})
	page, err := w.store.GroupDirectory.Members(t.Context(), workspaces.GroupMemberQuery{Org: org, Group: one.ID, After: a, Limit: 5})
	is(t, "members", err, nil)
	equal(t, "members", page, []workspaces.GroupMember{{User: b, AddedAt: noon()}})
	w.do(t, func(ctx context.Context, tx Repos) error {
		removed, err := tx.Groups.Remove(ctx, two, []user.ID{a, b})
		equal(t, "removed", removed, []user.ID{a})
		return err
	})
	equal(t, "groups after a removal from between", w.noted(t, org, a), []group.ID{one.ID, three.ID})
	w.do(t, func(ctx context.Context, tx Repos) error {
		g, err := tx.Groups.ByID(ctx, org, one.ID)
		if err != nil {
			return err
		}
		g.Delete()
		return tx.Groups.Delete(ctx, g)
	})
	equal(t, "groups after the deletion of the first", w.noted(t, org, a), []group.ID{three.ID})
	equal(t, "groups after the deletion of the only one", w.noted(t, org, b) == nil, true)
	w.leaves(t, org, a)
	size, err := w.store.GroupDirectory.Size(t.Context(), three.ID)
	is(t, "size", err, nil)
	equal(t, "size of a group whose member left", size, 0)
}

// leaves removes a member.
func (w *world) leaves(t *testing.T, org workspace.ID, person user.ID) {
	t.Helper()
	err := w.unit.Do(t.Context(), func(tx Repos) error {
		m, err := tx.Workspaces.Member(t.Context(), org, person)
		if err != nil {
			return err
		}
		return tx.Workspaces.RemoveMember(t.Context(), m)
	})
	if err != nil {
		t.Error(err)
	}
}

// Whoever adds, removes, deletes groups and removes members at once: what members keep
// of their groups is what the groups have of their members.
func (w *world) groupsRaces(t *testing.T) {
	var people []user.ID
	for n := range 4 {
		people = append(people, w.person(t, fmt.Sprintf("racer%d@example.com", n)).ID())
	}
	org := w.team(t, false, role.Member, people...)
	var groups []group.Snapshot
	for n := range 4 {
		groups = append(groups, w.form(t, org, fmt.Sprint("race", n)))
	}
	within := func(work func(ctx context.Context, tx Repos) error) {
		err := w.unit.Do(t.Context(), func(tx Repos) error {
			if _, err := tx.Books.Hold(t.Context(), org); err != nil {
				return err
			}
			return work(t.Context(), tx)
		})
		if err != nil && !errors.Is(err, workspace.ErrNotMember) && !errors.Is(err, group.ErrNotFound) {
			t.Error(err)
		}
	}
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for turn := range 6 {
				g := groups[(n+turn)%len(groups)]
				within(func(ctx context.Context, tx Repos) error {
					if _, err := tx.Groups.ByID(ctx, org, g.ID); err != nil {
						return err
					}
					if (n+turn)%3 == 2 {
						_, err := tx.Groups.Remove(ctx, g, people)
						return err
					}
					_, err := tx.Groups.Add(ctx, g, []user.ID{people[turn%4], people[n]}, noon())
					return err
				})
			}
		})
	}
	all.Go(func() {
		within(func(ctx context.Context, tx Repos) error {
			g, err := tx.Groups.ByID(ctx, org, groups[1].ID)
			if err != nil {
				return err
			}
			return tx.Groups.Delete(ctx, g)
		})
	})
	all.Go(func() { w.leaves(t, org, people[3]) })
	all.Wait()
	memberships := w.store.GroupMemberships
	for _, person := range people[:3] {
		truth, err := memberships.GroupsOf(t.Context(), org, person)
		is(t, "groups", err, nil)
		noted := slices.Sorted(slices.Values(w.noted(t, org, person)))
		if !slices.Equal(noted, truth) {
			t.Errorf("a member notes %s, and is in %s", strings.Join(texts(noted), " "), strings.Join(texts(truth), " "))
		}
	}
}

func texts(ids []group.ID) []string {
	var all []string
	for _, id := range ids {
		all = append(all, id.String())
	}
	return all
}

// Holders checks workspaces.Rights, but for books.
func Holders(t *testing.T, open Opener) {
	w := newWorld(t, open)
	var people []user.ID
	for n := range 6 {
		people = append(people, w.person(t, fmt.Sprintf("holder%d@example.com", n)).ID())
	}
	slices.Sort(people)
	org := w.team(t, false, role.Member, people...)
	w.team(t, false, role.Admin, people...)
	editor := w.define(t, org, "editor", []string{"flows:read"}, nil).ID.String()
	ops := w.form(t, org, "ops", editor)
	w.enlist(t, ops, people[1], people[4])
	soon := noon().Add(time.Hour)
	w.do(t, func(ctx context.Context, tx Repos) error {
		for _, n := range []int{1, 3} {
			m, err := tx.Workspaces.Member(ctx, org, people[n])
			if err != nil {
				return err
			}
			m.Assign(workspace.RoleRef{Key: editor}, soon)
			if err := tx.Workspaces.SaveMember(ctx, m); err != nil {
				return err
			}
		}
		return nil
	})
	rights := w.store.Rights
	one, err := rights.Holding(t.Context(), org, people[1])
	is(t, "what a member holds", err, nil)
	equal(t, "what a member holds", one, workspaces.Member{
		User: people[1], Availability: user.Availability{Status: user.Active},
		MemberGrants: role.MemberGrants{Org: org, Rights: w.book(t, org).Version(), Groups: []group.ID{ops.ID}, Grants: []workspace.Grant{{Role: "member"}, {Role: editor, ExpiresAt: soon}}},
	})
	_, err = rights.Holding(t.Context(), org, like(w, people[0]))
	is(t, "what nobody holds", err, workspace.ErrNotMember)

	list := func(c role.Carriers, after user.ID, limit int) []user.ID {
		found, err := rights.Holders(t.Context(), workspaces.HolderQuery{Org: org, Carriers: c, After: after, Limit: limit})
		is(t, "holders", err, nil)
		var ids []user.ID
		for _, m := range found {
			ids = append(ids, m.User)
		}
		return ids
	}
	editors := w.book(t, org).Holding(editor)
	equal(t, "who is an editor", list(editors, "", 10), []user.ID{people[1], people[3], people[4]})
	equal(t, "the first", list(editors, "", 1), []user.ID{people[1]})
	equal(t, "those after", list(editors, people[1], 2), []user.ID{people[3], people[4]})
	equal(t, "the last", len(list(editors, people[4], 2)), 0)
	equal(t, "members", list(role.Carriers{Roles: []string{"member"}}, "", 10), people)
	equal(t, "nobody", len(list(role.Carriers{}, "", 10)), 0)
	many := role.Carriers{Roles: []string{"owner", "admin", editor}}
	for n := range 100 {
		many.Roles = append(many.Roles, fmt.Sprint("rol_", n))
	}
	equal(t, "of many roles", list(many, "", 10), []user.ID{people[1], people[3]})
}
