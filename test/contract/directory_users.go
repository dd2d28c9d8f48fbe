package contract

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"gatehouse.internal/domain/role"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// UserDirectory checks people.UserDirectory, with and without sealing.
func UserDirectory(t *testing.T, open Opener) {
	for name, keys := range map[string]string{"sealed": oneKey, "in clear": ""} {
		t.Run(name, func(t *testing.T) {
			c := Defaults(t)
			c.Personal = sealer(t, keys)
			w := openWorld(t, open(t), c)
			crowd := w.crowd(t)
			t.Run("lists what matches, newest first", func(t *testing.T) { w.usersListed(t, crowd, keys != "") })
			t.Run("lists page by page", func(t *testing.T) { w.usersPaged(t, crowd) })
			t.Run("finds one", func(t *testing.T) { w.usersFound(t, crowd[0]) })
		})
	}
}

// crowd stores five accounts, a minute apart, and returns them as they are stored.
func (w *world) crowd(t *testing.T) []user.Snapshot {
	t.Helper()
	var crowd []user.Snapshot
	for i, name := range []string{"Ada Lovelace", "Grace Hopper", "100% Ada_", "ÅSA Öberg", ""} {
		crowd = append(crowd, user.Snapshot{
			ID: like(w, user.ID("")), Email: address(t, fmt.Sprintf("P%d.Person@example.com", i)), DisplayName: name,
			Status: user.Active, CreatedAt: noon().Add(time.Duration(i) * time.Minute), UpdatedAt: noon(),
		})
	}
	crowd[0].ExternalID = "ext-0"
	crowd[1].Status = user.Disabled
	crowd[2].Status, crowd[2].DisabledUntil = user.Disabled, noon()
	crowd[3].Status, crowd[3].DisabledUntil = user.Disabled, noon().Add(time.Microsecond)
	w.do(t, func(ctx context.Context, tx Repos) error {
		for _, one := range crowd {
			if err := tx.Users.Save(ctx, user.Restore(one, 0)); err != nil {
				return err
			}
		}
		return nil
	})
	return crowd
}

// listed returns the places in the crowd of those that a query lists.
func (w *world) listed(t *testing.T, crowd []user.Snapshot, query people.UserQuery) []int {
	t.Helper()
	query.Now = noon()
	found, err := w.store.UserDirectory.List(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	places := []int{}
	for _, one := range found {
		for i, person := range crowd {
			if person.ID == one.ID {
				equal(t, "a listed account", one, person)
				places = append(places, i)
			}
		}
	}
	return places
}

func (w *world) usersListed(t *testing.T, crowd []user.Snapshot, sealed bool) {
	org := w.team(t, false, "viewer", crowd[0].ID, crowd[1].ID, crowd[3].ID)
	type query = people.UserQuery
	all := []int{4, 3, 2, 1, 0}
	cases := []struct {
		what  string
		query query
		want  []int
	}{
		{"all", query{}, all},
		{"the newest", query{Limit: 2}, []int{4, 3}},
		{"one", query{Only: crowd[2].ID}, []int{2}},
		{"later ones", query{CreatedAfter: crowd[2].CreatedAt}, []int{4, 3}},
		{"active ones", query{Status: "active"}, []int{4, 2, 0}},
		{"disabled ones", query{Status: "disabled"}, []int{3, 1}},
		{"another status", query{Status: "other"}, []int{}},
		{"members", query{Org: org}, []int{3, 1, 0}},
		{"disabled members", query{Org: org, Status: "disabled"}, []int{3, 1}},
		{"members, the second page", query{Org: org, Before: crowd[3].ID, Limit: 1}, []int{1}},
		{"a member", query{Org: org, Only: crowd[1].ID}, []int{1}},
		{"no member", query{Org: org, Only: crowd[2].ID}, []int{}},
		{"an address", query{Text: "p1.PERSON@Example.com"}, []int{1}},
		{"an address and another status", query{Text: "p1.person@example.com", Status: "active"}, []int{}},
		{"a later address", query{Text: "p3.person@example.com", CreatedAfter: crowd[2].CreatedAt, Org: org, Status: "disabled"}, []int{3}},
	}
	for _, one := range sought(sealed) {
		equal(t, "accounts with "+one.text, w.listed(t, crowd, query{Text: one.text}), one.want)
		within := query{Text: one.text, Org: org, Limit: 2, Now: noon()}
		listed := w.listed(t, crowd, within)
		members := slices.DeleteFunc(slices.Clone(one.want), func(i int) bool { return i == 2 || i == 4 })
		equal(t, "members with "+one.text, listed, members[:min(2, len(members))])
		n, err := w.store.UserDirectory.Count(t.Context(), within)
		is(t, "counting", err, nil)
		equal(t, "how many members have "+one.text, n, len(listed))
	}
	for _, c := range cases {
		equal(t, c.what, w.listed(t, crowd, c.query), c.want)
		c.query.Now, c.query.Before, c.query.Limit = noon(), "", 0
		n, err := w.store.UserDirectory.Count(t.Context(), c.query)
		is(t, "counting", err, nil)
		equal(t, "the number of "+c.what, n, len(w.listed(t, crowd, c.query)))
	}
}

// soughtText is a text to search for, and the places of the accounts that match.
type soughtText struct {
	text string
	want []int
}

// sought returns texts to search for, among sealed names and addresses or those in clear.
func sought(sealed bool) []soughtText {
	all := []int{4, 3, 2, 1, 0}
	if sealed {
		return []soughtText{
			{"p1", []int{}},
			{"p1.person", []int{1}},
			{"P1.person@", []int{1}},
			{"@example.COM", all},
			{"aDA", []int{2, 0}},
			{"ada lovelace", []int{0}},
			{"lovelace example.com", []int{0}},
			{"ada hopper", []int{}},
			{"love", []int{}},
			{"100%", []int{2}},
			{"100", []int{2}},
			{"öberg", []int{3}},
			{"@", []int{}},
		}
	}
	return []soughtText{
		{"p", all},
		{"p4", []int{4}},
		{"aDA", []int{2, 0}},
		{"åsa ö", []int{3}},
		{"hopper", []int{1}},
		{"ce Hop", []int{1}},
		{"lace", []int{0}},
		{"da", []int{}},
		{"son@ex", all},
		{"100%", []int{2}},
		{"_", []int{}},
		{"%", []int{}},
		{"da_", []int{2}},
		{"a  l", []int{}},
		{"moc.", []int{}},
	}
}

func (w *world) usersPaged(t *testing.T, crowd []user.Snapshot) {
	var seen []int
	query := people.UserQuery{Limit: 2}
	for {
		page := w.listed(t, crowd, query)
		if len(page) == 0 {
			break
		}
		seen = append(seen, page...)
		query.Before = crowd[page[len(page)-1]].ID
	}
	equal(t, "all pages", seen, []int{4, 3, 2, 1, 0})
}

func (w *world) usersFound(t *testing.T, want user.Snapshot) {
	d := w.store.UserDirectory
	for _, key := range []people.UserKey{
		{ID: want.ID}, {Email: address(t, "p0.PERSON@example.com")}, {ExternalID: want.ExternalID},
	} {
		got, err := d.Find(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the account", got, want)
	}
	for _, key := range []people.UserKey{
		{ID: like(w, user.ID(""))}, {Email: address(t, "nobody@example.com")}, {ExternalID: "EXT-0"},
	} {
		if _, err := d.Find(t.Context(), key); !errors.Is(err, user.ErrNotFound) {
			t.Errorf("finding %v: %v", key, err)
		}
	}
}

// MemberDirectory checks people.MemberDirectory, with and without sealing.
func MemberDirectory(t *testing.T, open Opener) {
	for name, keys := range map[string]string{"sealed": oneKey, "in clear": ""} {
		t.Run(name, func(t *testing.T) {
			c := Defaults(t)
			c.Personal = sealer(t, keys)
			w := openWorld(t, open(t), c)
			crowd := w.crowd(t)
			t.Run("lists members by role", func(t *testing.T) { w.membersListed(t, crowd, keys != "") })
			t.Run("fills pages though roles have ended", func(t *testing.T) { w.membersEnded(t, crowd) })
		})
	}
}

const ownRole = "rol_01jd7x9k2mf3q8v5t0abcdefgh"

// belonging stores a workspace with members of the crowd by their grants.
func (w *world) belonging(t *testing.T, crowd []user.Snapshot, grants ...[]workspace.Grant) workspace.ID {
	t.Helper()
	org := w.team(t, false, role.Owner)
	w.do(t, func(ctx context.Context, tx Repos) error {
		for i, held := range grants {
			member := workspace.MemberSnapshot{OrgID: org, UserID: crowd[i].ID, Grants: held, JoinedAt: noon()}
			if err := tx.Workspaces.SaveMember(ctx, workspace.RestoreMember(member, 0)); err != nil {
				return err
			}
		}
		return nil
	})
	return org
}

// membersOf returns the places in the crowd of the members that a query lists.
func (w *world) membersOf(t *testing.T, crowd []user.Snapshot, query people.MemberQuery) []int {
	t.Helper()
	query.Now = noon()
	found, err := w.store.MemberDirectory.List(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	places := []int{}
	for _, one := range found {
		at := slices.IndexFunc(crowd, func(u user.Snapshot) bool { return u.ID == one.User.ID })
		equal(t, "the account of a member", one.User, crowd[at])
		equal(t, "a member", one.MemberSnapshot, w.member(t, query.Org, one.User.ID).Snapshot())
		places = append(places, at)
	}
	return places
}

func (w *world) membersListed(t *testing.T, crowd []user.Snapshot, sealed bool) {
	org := w.belonging(t, crowd,
		[]workspace.Grant{{Role: role.Owner}}, []workspace.Grant{{Role: role.Member}, {Role: role.Admin}},
		[]workspace.Grant{{Role: ownRole, ExpiresAt: noon().Add(time.Second)}}, []workspace.Grant{{Role: role.Admin, ExpiresAt: noon()}, {Role: role.Member}})
	w.team(t, false, role.Member, crowd[4].ID)
	of := func(role, text string) people.MemberQuery {
		return people.MemberQuery{Role: role, UserQuery: people.UserQuery{Org: org, Text: text}}
	}
	cases := map[string]struct {
		query people.MemberQuery
		want  []int
	}{
		"all":                    {of("", ""), []int{3, 2, 1, 0}},
		"owners":                 {of(role.Owner, ""), []int{0}},
		"admins":                 {of(role.Admin, ""), []int{1}},
		"of the common role":     {of(role.Member, ""), []int{3, 1}},
		"of an own role":         {of(ownRole, ""), []int{2}},
		"of a role of nobody":    {of("rol_01jd7x9k2mf3q8v5t0abcdefgj", ""), []int{}},
		"by address":             {of("", "p1.person@example.com"), []int{1}},
		"by address and role":    {of(role.Admin, "p1.person@example.com"), []int{1}},
		"by another's role":      {of(role.Owner, "p1.person@example.com"), []int{}},
		"who belong elsewhere":   {of("", "p4.person@example.com"), []int{}},
		"by a beginning":         {of("", "p"), []int{3, 2, 1, 0}},
		"by a beginning and one": {of(role.Member, "p"), []int{3, 1}},
	}
	if sealed {
		delete(cases, "by a beginning")
		delete(cases, "by a beginning and one")
	}
	for what, c := range cases {
		equal(t, what, w.membersOf(t, crowd, c.query), c.want)
		c.query.Now = noon()
		n, err := w.store.MemberDirectory.Count(t.Context(), c.query)
		is(t, "counting", err, nil)
		equal(t, "the number of "+what, n, len(c.want))
	}
}

// membersEnded asks for a page of those who hold a role, where most held it once.
func (w *world) membersEnded(t *testing.T, crowd []user.Snapshot) {
	ended := []workspace.Grant{{Role: role.Admin, ExpiresAt: noon()}}
	org := w.belonging(t, crowd, []workspace.Grant{{Role: role.Admin}}, ended, []workspace.Grant{{Role: role.Admin}}, ended, ended)
	query := people.MemberQuery{Role: role.Admin, UserQuery: people.UserQuery{Org: org, Limit: 1}}
	equal(t, "the first page", w.membersOf(t, crowd, query), []int{2})
	query.Before = crowd[2].ID
	equal(t, "the next page", w.membersOf(t, crowd, query), []int{0})
	query.Before, query.Limit = "", 2
	equal(t, "both at once", w.membersOf(t, crowd, query), []int{2, 0})
}
