package contract

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// UserDirectory checks outbound.UserDirectory, with and without sealing.
func UserDirectory(t *testing.T, open Opener) {
	for name, keys := range map[string]string{"sealed": oneKey, "in clear": ""} {
		t.Run(name, func(t *testing.T) {
			c := Config(t, open(t)())
			c.Personal = sealer(t, keys)
			w := openWorld(t, c)
			people := w.crowd(t)
			t.Run("lists what matches, newest first", func(t *testing.T) { w.usersListed(t, people, keys != "") })
			t.Run("lists page by page", func(t *testing.T) { w.usersPaged(t, people) })
			t.Run("finds one", func(t *testing.T) { w.usersFound(t, people[0]) })
		})
	}
}

// crowd stores five accounts, a minute apart, and gives them as they are stored.
func (w *world) crowd(t *testing.T) []user.Snapshot {
	t.Helper()
	var people []user.Snapshot
	for i, name := range []string{"Ada Lovelace", "Grace Hopper", "100% Ada_", "ÅSA Öberg", ""} {
		people = append(people, user.Snapshot{
			ID: like(w, user.ID("")), Email: address(t, fmt.Sprintf("P%d.Person@example.com", i)), DisplayName: name,
			Status: user.Active, CreatedAt: noon().Add(time.Duration(i) * time.Minute), UpdatedAt: noon(),
		})
	}
	people[0].ExternalID = "ext-0"
	people[1].Status = user.Disabled
	people[2].Status, people[2].DisabledUntil = user.Disabled, noon()
	people[3].Status, people[3].DisabledUntil = user.Disabled, noon().Add(time.Microsecond)
	w.do(t, func(ctx context.Context, tx Repos) error {
		for _, one := range people {
			if err := tx.Users.Save(ctx, user.Restore(one, 0)); err != nil {
				return err
			}
		}
		return nil
	})
	return people
}

// listed gives the places in the crowd of those that a query lists.
func (w *world) listed(t *testing.T, people []user.Snapshot, query outbound.UserQuery) []int {
	t.Helper()
	query.Now = noon()
	found, err := w.store.UserDirectory().List(t.Context(), query)
	if err != nil {
		t.Fatal(err)
	}
	places := []int{}
	for _, one := range found {
		for i, person := range people {
			if person.ID == one.ID {
				equal(t, "a listed account", one, person)
				places = append(places, i)
			}
		}
	}
	return places
}

func (w *world) usersListed(t *testing.T, people []user.Snapshot, sealed bool) {
	org := w.team(t, false, "viewer", people[0].ID, people[1].ID, people[3].ID)
	type query = outbound.UserQuery
	all := []int{4, 3, 2, 1, 0}
	cases := []struct {
		what  string
		query query
		want  []int
	}{
		{"all", query{}, all},
		{"the newest", query{Limit: 2}, []int{4, 3}},
		{"one", query{Only: people[2].ID}, []int{2}},
		{"later ones", query{CreatedAfter: people[2].CreatedAt}, []int{4, 3}},
		{"active ones", query{Status: "active"}, []int{4, 2, 0}},
		{"disabled ones", query{Status: "disabled"}, []int{3, 1}},
		{"another status", query{Status: "other"}, []int{}},
		{"members", query{Org: org}, []int{3, 1, 0}},
		{"disabled members", query{Org: org, Status: "disabled"}, []int{3, 1}},
		{"members, the second page", query{Org: org, Before: people[3].ID, Limit: 1}, []int{1}},
		{"a member", query{Org: org, Only: people[1].ID}, []int{1}},
		{"no member", query{Org: org, Only: people[2].ID}, []int{}},
		{"an address", query{Text: "p1.PERSON@Example.com"}, []int{1}},
		{"an address and another status", query{Text: "p1.person@example.com", Status: "active"}, []int{}},
		{"a later address", query{Text: "p3.person@example.com", CreatedAfter: people[2].CreatedAt, Org: org, Status: "disabled"}, []int{3}},
	}
	if !sealed {
		cases = append(cases, []struct {
			what  string
			query query
			want  []int
		}{
			{"a beginning of addresses", query{Text: "P"}, all},
			{"a beginning of one address", query{Text: "p4"}, []int{4}},
			{"a beginning of a name", query{Text: "aDA"}, []int{0}},
			{"a beginning that is no letter", query{Text: "åsa ö"}, []int{3}},
			{"what stands elsewhere", query{Text: "hopper"}, []int{}},
			{"a sign of patterns", query{Text: "100%"}, []int{2}},
			{"another sign of patterns", query{Text: "_"}, []int{}},
			{"a beginning among members", query{Text: "p", Org: org, Limit: 2}, []int{3, 1}},
		}...)
	} else {
		cases = append(cases, struct {
			what  string
			query query
			want  []int
		}{"a part of an address", query{Text: "p1"}, []int{}})
	}
	for _, c := range cases {
		equal(t, c.what, w.listed(t, people, c.query), c.want)
	}
}

func (w *world) usersPaged(t *testing.T, people []user.Snapshot) {
	var seen []int
	query := outbound.UserQuery{Limit: 2}
	for {
		page := w.listed(t, people, query)
		if len(page) == 0 {
			break
		}
		seen = append(seen, page...)
		query.Before = people[page[len(page)-1]].ID
	}
	equal(t, "all pages", seen, []int{4, 3, 2, 1, 0})
}

func (w *world) usersFound(t *testing.T, want user.Snapshot) {
	d := w.store.UserDirectory()
	for _, key := range []outbound.UserKey{
		{ID: want.ID}, {Email: address(t, "p0.PERSON@example.com")}, {ExternalID: want.ExternalID},
	} {
		got, err := d.Find(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the account", got, want)
	}
	for _, key := range []outbound.UserKey{
		{ID: like(w, user.ID(""))}, {Email: address(t, "nobody@example.com")}, {ExternalID: "EXT-0"},
	} {
		if _, err := d.Find(t.Context(), key); !errors.Is(err, user.ErrNotFound) {
			t.Errorf("finding %v: %v", key, err)
		}
	}
}
