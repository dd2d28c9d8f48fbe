package contract

import (
	"context"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/access"
	"gatehouse.internal/domain/group"
	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/workspaces"
)

// Roles checks workspaces.Books, Roles, OwnPermissions and what Rights says of them.
func Roles(t *testing.T, open Opener) {
	w := newWorld(t, open)
	t.Run("keeps every field", w.rolesRoundTrip)
	t.Run("counts every change", w.rolesTurn)
	t.Run("finds what uses a role", w.rolesUsed)
	t.Run("replaces a role everywhere", w.rolesReplaced)
	t.Run("withdraws permissions", w.rolesWithdrawn)
	t.Run("holds off others", w.rolesHeld)
}

// define stores a role of a workspace.
func (w *world) define(t *testing.T, org workspace.ID, name string, permissions, inherits []string) role.Snapshot {
	t.Helper()
	made := role.Define(role.Draft{
		ID: like(w, role.ID("")), OrgID: org, Name: workspace.Label(name), Description: "Łab 'A'", Permissions: permissions, Inherits: inherits,
	}, noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Roles.Save(ctx, made) })
	return made.Snapshot()
}

func (w *world) book(t *testing.T, org workspace.ID) *role.Book {
	t.Helper()
	book, err := w.store.Rights.Book(t.Context(), org)
	if err != nil {
		t.Fatal(err)
	}
	return book
}

func (w *world) rolesRoundTrip(t *testing.T) {
	org, other := w.team(t, false, role.Owner), w.team(t, false, role.Owner)
	want := w.define(t, org, "Éditeur", []string{"flows:write", "flows:read"}, []string{"member"})
	w.do(t, func(ctx context.Context, tx Repos) error {
		found, err := tx.Roles.ByID(ctx, org, want.ID)
		if err == nil {
			equal(t, "the role", found.Snapshot(), want)
		}
		return err
	})
	w.fails(t, role.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Roles.ByID(ctx, other, want.ID)
		return err
	})
	w.fails(t, role.ErrNameTaken, func(ctx context.Context, tx Repos) error {
		return tx.Roles.Save(ctx, role.Define(role.Draft{ID: like(w, role.ID("")), OrgID: org, Name: "éDITEUR"}, noon()))
	})
	w.define(t, other, "éditeur", nil, nil)
	read, known := w.book(t, org).ByKey(want.ID.String())
	equal(t, "the role in the book", known && read.Name == "Éditeur" && read.Permissions.Cover("members:read") && read.Permissions.Cover("flows:write"), true)
	if _, err := w.store.Rights.Book(t.Context(), like(w, org)); err == nil {
		t.Error("there is a book of nothing")
	}
	w.fails(t, workspace.ErrNotFound, func(ctx context.Context, tx Repos) error {
		_, err := tx.Books.Hold(ctx, like(w, org))
		return err
	})
	w.do(t, func(ctx context.Context, tx Repos) error {
		d, err := tx.Roles.ByID(ctx, org, want.ID)
		if err != nil {
			return err
		}
		d.Delete("")
		return tx.Roles.Delete(ctx, d)
	})
	_, known = w.book(t, org).ByKey(want.ID.String())
	equal(t, "a deleted role is there", known, false)
}

func (w *world) rolesTurn(t *testing.T) {
	org := w.team(t, false, role.Owner)
	version := int64(0)
	turned := func(what string, change func(ctx context.Context, tx Repos) error) {
		t.Helper()
		w.do(t, change)
		now := w.book(t, org).Version()
		if now <= version {
			t.Errorf("%s: the version is %d, and was %d", what, now, version)
		}
		version = now
	}
	equal(t, "the version of what never changed", w.book(t, org).Version(), version)
	d := role.Define(role.Draft{ID: like(w, role.ID("")), OrgID: org, Name: "one"}, noon())
	turned("a new role", func(ctx context.Context, tx Repos) error { return tx.Roles.Save(ctx, d) })
	own := role.Invent(role.OwnSnapshot{OrgID: org, Name: "docs:write", Description: "Write.", CreatedAt: noon()})
	turned("a new permission", func(ctx context.Context, tx Repos) error { return tx.OwnRights.Save(ctx, own) })
	w.fails(t, role.ErrPermissionTaken, func(ctx context.Context, tx Repos) error {
		return tx.OwnRights.Save(ctx, role.Invent(own.Snapshot()))
	})
	g := group.Form(group.Draft{ID: like(w, group.ID("")), OrgID: org, Name: "ops"}, noon())
	turned("a new group", func(ctx context.Context, tx Repos) error { return tx.Groups.Save(ctx, g) })
	g.SetRoles([]workspace.RoleRef{{Key: d.Snapshot().ID.String()}}, noon())
	turned("roles of a group", func(ctx context.Context, tx Repos) error { return tx.Groups.Save(ctx, g) })
	d.Update(role.Change{Permissions: access.Permissions{"docs:write"}}, noon())
	turned("a changed role", func(ctx context.Context, tx Repos) error { return tx.Roles.Save(ctx, d) })
	turned("a replaced role", func(ctx context.Context, tx Repos) error {
		_, err := tx.Roles.Replace(ctx, org, d.Snapshot().ID.String(), role.Member)
		return err
	})
	turned("a deleted group", func(ctx context.Context, tx Repos) error {
		gone, err := tx.Groups.ByID(ctx, org, g.Snapshot().ID)
		if err != nil {
			return err
		}
		return tx.Groups.Delete(ctx, gone)
	})
	turned("a withdrawn permission", func(ctx context.Context, tx Repos) error {
		_, err := tx.Roles.Withdraw(ctx, org, "docs:write")
		return err
	})
	turned("a deleted role", func(ctx context.Context, tx Repos) error {
		gone, err := tx.Roles.ByID(ctx, org, d.Snapshot().ID)
		if err != nil {
			return err
		}
		return tx.Roles.Delete(ctx, gone)
	})
	turned("a deleted permission", func(ctx context.Context, tx Repos) error {
		found, err := tx.OwnRights.ByName(ctx, org, "docs:write")
		if err != nil {
			return err
		}
		equal(t, "the permission", found.Snapshot(), own.Snapshot())
		return tx.OwnRights.Delete(ctx, found)
	})
	w.fails(t, role.ErrNoPermission, func(ctx context.Context, tx Repos) error {
		_, err := tx.OwnRights.ByName(ctx, org, "docs:write")
		return err
	})
}

func (w *world) rolesUsed(t *testing.T) {
	person := w.person(t, "role-user@example.com").ID()
	org := w.team(t, false, role.Member, person)
	held, ended, grouped, inherited, free := w.define(t, org, "held", nil, nil), w.define(t, org, "ended", nil, nil),
		w.define(t, org, "grouped", nil, nil), w.define(t, org, "inherited", nil, nil), w.define(t, org, "free", nil, nil)
	first := w.define(t, org, "first", nil, []string{inherited.ID.String()})
	w.reshaped(t, org, func(s *workspace.Snapshot) { s.DefaultRole = first.ID.String() })
	w.form(t, org, "ops", grouped.ID.String())
	w.do(t, func(ctx context.Context, tx Repos) error {
		m, err := tx.Workspaces.Member(ctx, org, person)
		if err != nil {
			return err
		}
		m.Assign(workspace.RoleRef{Key: held.ID.String()}, noon().Add(time.Second))
		m.Assign(workspace.RoleRef{Key: ended.ID.String()}, noon())
		return tx.Workspaces.SaveMember(ctx, m)
	})
	for one, want := range map[*role.Snapshot]bool{&held: true, &ended: false, &grouped: true, &inherited: true, &first: true, &free: false} {
		w.do(t, func(ctx context.Context, tx Repos) error {
			used, err := tx.Roles.Used(ctx, org, one.ID.String(), noon())
			equal(t, string(one.Name)+" is used", used, want)
			return err
		})
	}
}

func (w *world) rolesReplaced(t *testing.T) {
	only, both, neither := w.person(t, "only@example.com").ID(), w.person(t, "both@example.com").ID(), w.person(t, "neither@example.com").ID()
	org := w.team(t, false, role.Member, only, both, neither)
	from, to := w.define(t, org, "from", nil, nil), w.define(t, org, "to", nil, nil)
	chief := w.define(t, org, "chief", nil, []string{from.ID.String(), to.ID.String()})
	ops := w.form(t, org, "ops", from.ID.String(), "member")
	w.reshaped(t, org, func(s *workspace.Snapshot) { s.DefaultRole = from.ID.String() })
	give := func(person user.ID, grants ...workspace.Grant) {
		w.do(t, func(ctx context.Context, tx Repos) error {
			m, err := tx.Workspaces.Member(ctx, org, person)
			if err != nil {
				return err
			}
			for _, g := range grants {
				m.Assign(workspace.RoleRef{Key: g.Role}, g.ExpiresAt)
			}
			return tx.Workspaces.SaveMember(ctx, m)
		})
	}
	soon := noon().Add(time.Hour)
	give(only, workspace.Grant{Role: from.ID.String(), ExpiresAt: soon})
	give(both, workspace.Grant{Role: from.ID.String(), ExpiresAt: soon}, workspace.Grant{Role: to.ID.String()})
	stale := w.member(t, org, only)
	w.do(t, func(ctx context.Context, tx Repos) error {
		n, err := tx.Roles.Replace(ctx, org, from.ID.String(), to.ID.String())
		equal(t, "members who held it", n, 2)
		return err
	})
	equal(t, "who held the one", w.member(t, org, only).Snapshot().Grants, []workspace.Grant{{Role: "member"}, {Role: to.ID.String(), ExpiresAt: soon}})
	equal(t, "who held both", w.member(t, org, both).Snapshot().Grants, []workspace.Grant{{Role: "member"}, {Role: to.ID.String()}})
	equal(t, "who held neither", w.member(t, org, neither).Snapshot().Grants, []workspace.Grant{{Role: "member"}})
	for key, want := range map[string]int{from.ID.String(): 0, to.ID.String(): 2} {
		holders, err := w.store.Rights.Holders(t.Context(), workspaces.HolderQuery{Org: org, Carriers: role.Carriers{Roles: []string{key}}, Limit: 10})
		is(t, "the holders", err, nil)
		equal(t, "holders of "+key, len(holders), want)
	}
	var listed []user.ID
	for after, more := user.ID(""), true; more; {
		members, err := w.store.Rights.Members(t.Context(), org, after, 1)
		is(t, "a page of members", err, nil)
		for _, m := range members {
			listed, after = append(listed, m.User), m.User
			equal(t, "that they were given something", len(m.Grants) > 0, true)
		}
		more = len(members) == 1
	}
	equal(t, "that members are listed in order", slices.IsSorted(listed), true)
	equal(t, "that all are", slices.Contains(listed, only) && slices.Contains(listed, both) && slices.Contains(listed, neither), true)
	equal(t, "what new members get", w.workspace(t, org).Snapshot().DefaultRole, to.ID.String())
	book := w.book(t, org)
	inheriting, _ := book.ByKey(chief.ID.String())
	equal(t, "what the chief inherits", inheriting.Inherits, []string{to.ID.String()})
	equal(t, "what the group grants", book.Of(ops.ID), []string{"member", to.ID.String()})
	stale.Unassign(workspace.Builtin("member"))
	w.conflicts(t, func(ctx context.Context, tx Repos) error { return tx.Workspaces.SaveMember(ctx, stale) })
}

func (w *world) rolesWithdrawn(t *testing.T) {
	org := w.team(t, false, role.Owner)
	one := w.define(t, org, "one", []string{"docs:write", "docs:writer", "flows:read"}, nil)
	w.define(t, org, "two", []string{"docs:writer"}, nil)
	w.do(t, func(ctx context.Context, tx Repos) error {
		n, err := tx.Roles.Withdraw(ctx, org, "docs:write")
		equal(t, "roles that carried it", n, 1)
		return err
	})
	left, _ := w.book(t, org).ByKey(one.ID.String())
	equal(t, "what is left", left.Direct, access.Permissions{"docs:writer", "flows:read"})
}

// Of two who change what roles grant, the second sees what the first did.
func (w *world) rolesHeld(t *testing.T) {
	org := w.team(t, false, role.Owner)
	change := func(name workspace.Label, want int) func(func()) error {
		return func(held func()) error {
			return w.unit.Do(t.Context(), func(tx Repos) error {
				book, err := tx.Books.Hold(t.Context(), org)
				if err != nil {
					return err
				}
				held()
				equal(t, "roles that are there", len(book.Roles()), want)
				return tx.Roles.Save(t.Context(), role.Define(role.Draft{ID: like(w, role.ID("")), OrgID: org, Name: name}, noon()))
			})
		}
	}
	inTurn(t, change("first", 3), change("second", 4))
}
