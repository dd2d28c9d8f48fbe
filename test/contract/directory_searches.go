package contract

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gatehouse.internal/domain/user"
	"gatehouse.internal/domain/workspace"
	"gatehouse.internal/ports/outbound/people"
)

// userSearches checks that people.UserDirectory lists the same in whichever way
// it finds a part of an address or name, or a beginning: there are many accounts here.
func userSearches(t *testing.T, s SQL) {
	w := searchPages(t, s.Open)
	t.Run("all that match are listed without a limit", func(t *testing.T) {
		if got := w.userPages(t, people.UserQuery{Text: "ancient"}, 1); len(got) != common+6 {
			t.Errorf("%d accounts without a limit, want %d", len(got), common+6)
		}
	})
	t.Run("a cursor stays when a text becomes common", func(t *testing.T) { w.becomesCommon(t) })
}

// UserSearchPages is the part of "UserSearches" that takes pages, as people do.
func UserSearchPages(t *testing.T, open TableOpener) { searchPages(t, open) }

func searchPages(t *testing.T, open TableOpener) *tables {
	t.Helper()
	c := Defaults(t)
	c.Personal = sealer(t, "")
	w := openTables(t, open(t), c)
	throng, org := w.throng(t)
	t.Run("the pages of a search are the same in every way", func(t *testing.T) { w.searches(t, throng, org) })
	return w
}

// How many match before a beginning is common, and how many of the newest accounts
// are looked at then. Other numbers in the store want other numbers here.
const common = 20_000

// many stores accounts whose identifiers and addresses go on counting from a number.
func (w *tables) many(t *testing.T, from, count int, name, status string) {
	t.Helper()
	w.exec(t, `
		WITH RECURSIVE counted(i) AS (SELECT CAST(? AS BIGINT) UNION ALL SELECT i + 1 FROM counted WHERE i < ?)
		INSERT INTO users (id, email, email_index, email_folded, email_verified, display_name, name_folded, avatar, locale,
		timezone, external_id, metadata, superadmin, status, disabled_why, created_at, updated_at, version)
		SELECT 'usr_01jd7x9k2mf3q8v5t0ab' || i, 'p' || i || '@example.com', 'x' || i, 'p' || i || '@example.com', TRUE, ? || i,
		? || i, '', '', '', '', '{}', FALSE, ?, '', ?, ?, 1 FROM counted`,
		from, from+count-1, name, name, status, w.clock.Now(), w.clock.Now())
}

// person is what a listed account is compared by.
type person struct {
	ID     user.ID `db:"id"`
	Email  string  `db:"email_folded"`
	Name   string  `db:"name_folded"`
	Status string  `db:"status"`
}

// throng stores many accounts, and returns all of them, newest first, with a workspace
// of a few.
func (w *tables) throng(t *testing.T) ([]person, workspace.ID) {
	t.Helper()
	w.many(t, 100_000, common, "ancient ", "active")
	w.many(t, 120_000, 3, "ancient ", "disabled")
	w.many(t, 130_000, common, "later ", "active")
	w.many(t, 150_000, 3, "ancient ", "active")
	w.many(t, 160_000, 3, "p1 ", "active") // its name begins as all addresses do
	w.fill(t)
	var throng []person
	if err := w.database.Read.SelectContext(t.Context(), &throng, `SELECT id, email_folded, name_folded, status FROM users ORDER BY id DESC`); err != nil {
		t.Fatal(err)
	}
	return throng, w.team(t, false, "viewer", throng[0].ID, throng[4].ID, throng[100].ID, throng[common+8].ID, throng[len(throng)-1].ID)
}

func (w *world) searches(t *testing.T, throng []person, org workspace.ID) {
	members := []user.ID{throng[0].ID, throng[4].ID, throng[100].ID, throng[common+8].ID, throng[len(throng)-1].ID}
	type query = people.UserQuery
	for _, q := range []query{
		{Text: "nobody at all"},
		{Text: "ancient 120001"},
		{Text: "ancient 1000"},      // a hundred
		{Text: "later"},             // just not common
		{Text: "ANCIENT"},           // common, three among the newest
		{Text: "ancient", Limit: 3}, // a whole page among the newest
		{Text: "ancient", Limit: 2}, // the second page is not
		{Text: "ancient", Status: "disabled"},
		{Text: "ancient 1200", Status: "disabled"},
		{Text: "p"},   // common, all of them
		{Text: "p1 "}, // by name
		{Text: "r 1300"},
		{Text: "ent 12000"},
		{Text: "01@example"},
		{Text: "example.com"},
		{Text: "moc.elp"},
		{Text: "p16"}, // by address
		{Text: "p", Org: org, Limit: 2},
		{Text: "ancient", Org: org, Limit: 1},
		{Text: "later", Org: org},
		{Text: "p", Only: throng[7].ID},
		{Text: "later", Only: throng[0].ID},
	} {
		q.Limit = cmp.Or(q.Limit, 7)
		var want []user.ID
		for _, one := range throng {
			has, text := strings.Contains, strings.ToLower(q.Text)
			if len(text) < 3 {
				has = strings.HasPrefix
			}
			if (has(one.Email, text) || has(one.Name, text)) &&
				(q.Status == "" || q.Status == one.Status) && (q.Only == "" || q.Only == one.ID) &&
				(q.Org == "" || slices.Contains(members, one.ID)) {
				want = append(want, one.ID)
			}
		}
		const pages = 4
		want = want[:min(len(want), pages*q.Limit)]
		equal(t, fmt.Sprintf("%+v", q), w.userPages(t, q, pages), want)
		q.Now, q.Limit = noon(), pages*q.Limit
		n, err := w.store.UserDirectory.Count(t.Context(), q)
		is(t, "counting", err, nil)
		equal(t, fmt.Sprintf("how many %+v", q), n, len(want))
	}
}

// fill enters everybody into the index of searches.
func (w *world) fill(t *testing.T) {
	t.Helper()
	var last user.ID
	for done := false; !done; done = last == "" {
		var err error
		if last, err = w.store.SearchIndex.Fill(t.Context(), last, 2000); err != nil {
			t.Fatal(err)
		}
	}
}

// userPages returns the identifiers of the first pages of a list.
func (w *world) userPages(t *testing.T, query people.UserQuery, pages int) []user.ID {
	t.Helper()
	var seen []user.ID
	query.Now = noon()
	for range pages {
		found, err := w.store.UserDirectory.List(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		for _, one := range found {
			query.Before = one.ID
			seen = append(seen, one.ID)
		}
	}
	return seen
}

// becomesCommon takes the first page while few match and the second when many do.
func (w *tables) becomesCommon(t *testing.T) {
	query := people.UserQuery{Text: "later", Limit: 2}
	first := w.userPages(t, query, 1)
	made := user.New(like(w.world, user.ID("")), address(t, "later@example.com"), "Later still", noon())
	w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, made) })
	equal(t, "the newest", w.userPages(t, query, 1)[0], made.ID())
	query.Before = first[1]
	equal(t, "the second page", w.userPages(t, query, 1), []user.ID{"usr_01jd7x9k2mf3q8v5t0ab149997", "usr_01jd7x9k2mf3q8v5t0ab149996"})
}

// searchIndex checks people.SearchIndex: what an older release stored or changed is entered once, and not over what
// was changed meanwhile.
func searchIndex(t *testing.T, s SQL) {
	for name, keys := range map[string]string{"sealed": oneKey, "in clear": ""} {
		t.Run(name, func(t *testing.T) {
			c := Defaults(t)
			c.Personal = sealer(t, keys)
			w := openTables(t, s.Open(t), c)
			crowd := w.crowd(t)
			finds := func(text string, want ...int) {
				t.Helper()
				if w.indexed(t) {
					t.Error("what is not indexed went unnoticed")
				}
				w.fill(t)
				equal(t, "accounts with "+text, w.listed(t, crowd, people.UserQuery{Text: text}), want)
				if !w.indexed(t) {
					t.Error("something is still not indexed")
				}
			}
			w.exec(t, `DELETE FROM user_search`)
			w.exec(t, `UPDATE users SET searched_at = NULL`)
			finds("lovelace", 0)
			other := w.user(t, crowd[1].ID)
			other.Disable("a reason", other.Snapshot().DisabledUntil, noon().Add(1))
			w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, other) })
			if !w.indexed(t) {
				t.Error("a change of something else left the index behind")
			}
			crowd[1] = other.Snapshot()
			// A release without the index renames somebody.
			name := "Countess"
			renamed := w.user(t, crowd[0].ID)
			renamed.Update(user.Profile{DisplayName: &name}, noon().Add(1000))
			w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Save(ctx, renamed) })
			crowd[0] = renamed.Snapshot()
			w.exec(t, `UPDATE users SET searched_at = created_at WHERE id = ?`, crowd[0].ID.String())
			w.exec(t, `UPDATE user_search SET tokens = 'other' WHERE user_id = ?`, crowd[0].ID.String())
			finds("countess", 0)
			equal(t, "the name before", w.listed(t, crowd, people.UserQuery{Text: "lovelace"}), []int{})
			gone := w.user(t, crowd[0].ID)
			w.do(t, func(ctx context.Context, tx Repos) error { return tx.Users.Delete(ctx, gone) })
			equal(t, "a deleted account", w.text(t, `SELECT COUNT(*) FROM user_search`), "4")
		})
	}
}

func (w *world) indexed(t *testing.T) bool {
	t.Helper()
	all, err := w.store.UserDirectory.Indexed(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}
