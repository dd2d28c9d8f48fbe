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

// userBeginnings checks that people.UserDirectory lists the same in whichever way
// it finds the beginning of an address or name: there are many accounts here.
func userBeginnings(t *testing.T, s SQL) {
	w := beginningPages(t, s.Open)
	t.Run("all that begin so are listed without a limit", func(t *testing.T) {
		if got := w.userPages(t, people.UserQuery{Text: "ancient"}, 1); len(got) != common+6 {
			t.Errorf("%d accounts without a limit, want %d", len(got), common+6)
		}
	})
	t.Run("a cursor stays when a beginning becomes common", func(t *testing.T) { w.becomesCommon(t) })
}

// UserBeginningPages is the part of "UserBeginnings" that takes pages, as people do.
func UserBeginningPages(t *testing.T, open TableOpener) { beginningPages(t, open) }

func beginningPages(t *testing.T, open TableOpener) *tables {
	t.Helper()
	c := Defaults(t)
	c.Personal = sealer(t, "")
	w := openTables(t, open(t), c)
	throng, org := w.throng(t)
	t.Run("the pages of a beginning are the same in every way", func(t *testing.T) { w.beginnings(t, throng, org) })
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
		SELECT 'usr_01jd7x9k2mf3q8v5t0ab' || i, 'p' || i || '@example.com', 'x' || i, 'p' || i || '@example.com', TRUE, '',
		? || i, '', '', '', '', '{}', FALSE, ?, '', ?, ?, 1 FROM counted`,
		from, from+count-1, name, status, w.clock.Now(), w.clock.Now())
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
	var throng []person
	if err := w.database.Read.SelectContext(t.Context(), &throng, `SELECT id, email_folded, name_folded, status FROM users ORDER BY id DESC`); err != nil {
		t.Fatal(err)
	}
	return throng, w.team(t, false, "viewer", throng[0].ID, throng[4].ID, throng[100].ID, throng[common+8].ID, throng[len(throng)-1].ID)
}

func (w *world) beginnings(t *testing.T, throng []person, org workspace.ID) {
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
			begin := strings.ToLower(q.Text)
			if (strings.HasPrefix(one.Email, begin) || strings.HasPrefix(one.Name, begin)) &&
				(q.Status == "" || q.Status == one.Status) && (q.Only == "" || q.Only == one.ID) &&
				(q.Org == "" || slices.Contains(members, one.ID)) {
				want = append(want, one.ID)
			}
		}
		const pages = 4
		want = want[:min(len(want), pages*q.Limit)]
		equal(t, fmt.Sprintf("%+v", q), w.userPages(t, q, pages), want)
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
