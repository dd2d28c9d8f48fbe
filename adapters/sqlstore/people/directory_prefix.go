package people

import (
	"context"
	"fmt"
	"strings"
	"unicode/utf8"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/ports/outbound/people"
)

// How much a search by prefix may read. Its results are ordered by age, but the indexes by prefix
// are not.
const (
	// fewMatches is up to how many matches are all read to pick a page from them.
	fewMatches = 20_000
	// newestLooked is how many of the newest accounts are searched if there are more matches:
	// they mostly contain a page of them.
	newestLooked = 20_000
)

// prefix is the beginning that addresses and names are searched by.
type prefix struct{ begin, end string }

func newPrefix(text string) prefix {
	begin := strings.ToLower(sqlstore.Printable(text))
	return prefix{begin, begin + string(utf8.MaxRune)}
}

// byEmail and byName are its ranges of the partial indexes; each takes the two
// parameters of args.
const (
	byEmail = "email_folded <> '' AND email_folded >= ? AND email_folded < ?"
	byName  = "name_folded <> '' AND name_folded >= ? AND name_folded < ?"
)

func (p prefix) args() []any { return []any{p.begin, p.end} }

// narrow adds the condition that the address or the name has the prefix.
func (p prefix) narrow(f *sqlstore.Filter) {
	f.Where("(("+byEmail+") OR ("+byName+"))", append(p.args(), p.args()...)...)
}

// beginning returns a page of the accounts that have the prefix. If there are few matches, the
// page is picked from all of them; otherwise from the newest accounts; and if these do not
// contain a full page, from all matches after all, which takes time in proportion to their
// number. All three return the same page, so that the next page may be read another way.
func (d userDirectory) beginning(ctx context.Context, query people.UserQuery, rest *sqlstore.Filter) ([]sqlstore.UserRow, error) {
	p := newPrefix(query.Text)
	few, err := d.few(ctx, p)
	if err != nil {
		return nil, err
	}
	if !few && query.Limit > 0 {
		found, err := d.amongNewest(ctx, query, p, rest)
		if err != nil || len(found) == query.Limit {
			return found, err
		}
	}
	return d.amongMatches(ctx, query, p, rest)
}

// few counts matches by the indexes alone. ORDER BY keeps PostgreSQL from scanning the table
// instead, which it would consider cheap because of LIMIT.
func (d userDirectory) few(ctx context.Context, p prefix) (bool, error) {
	const count = `SELECT COUNT(*) FROM (SELECT 1 FROM users WHERE ` + byEmail + ` ORDER BY email_folded LIMIT ?) AS by_email
		UNION ALL
		SELECT COUNT(*) FROM (SELECT 1 FROM users WHERE ` + byName + ` ORDER BY name_folded LIMIT ?) AS by_name`
	const most = fewMatches + 1
	var counts []int
	args := append(append(p.args(), most), append(p.args(), most)...)
	if err := d.store.Reader(ctx).Search(ctx, &counts, count, args...); err != nil {
		return false, fmt.Errorf("count accounts: %w", err)
	}
	return max(counts[0], counts[1]) <= fewMatches, nil
}

// amongMatches picks the page from all accounts that have the prefix. The ranges have no LIMIT,
// because with it PostgreSQL may scan all accounts from the newest on until it has found enough
// matches.
func (d userDirectory) amongMatches(ctx context.Context, query people.UserQuery, p prefix, rest *sqlstore.Filter) ([]sqlstore.UserRow, error) {
	all := &sqlstore.Filter{Conditions: rest.Conditions, Args: rest.Args}
	all.Unless(query.Before == "", "id < ?", query.Before.String())
	if query.Org != "" {
		within := ofMembers(query)
		within.Where("members.user_id = users.id")
		all.Where("EXISTS (SELECT 1 FROM members"+within.String()+")", within.Args...)
	}
	var ranges []string
	var args []any
	for _, begins := range []string{byEmail, byName} {
		match := &sqlstore.Filter{}
		match.Where(begins, p.args()...)
		match.Conditions, match.Args = append(match.Conditions, all.Conditions...), append(match.Args, all.Args...)
		ranges, args = append(ranges, "SELECT id FROM users"+match.String()), append(args, match.Args...)
	}
	return d.rows(ctx, query, "SELECT id FROM ("+strings.Join(ranges, " UNION ")+") AS matching", args)
}

// amongNewest picks the page from the newest accounts, or from those of the workspace that the
// query names. It may find too few.
func (d userDirectory) amongNewest(ctx context.Context, query people.UserQuery, p prefix, rest *sqlstore.Filter) ([]sqlstore.UserRow, error) {
	newest, from, order := &sqlstore.Filter{}, "SELECT * FROM users", "id"
	if query.Org != "" {
		newest = ofMembers(query)
		from, order = "SELECT user_id FROM members", "user_id"
	}
	newest.Unless(query.Before == "", order+" < ?", query.Before.String())
	from += newest.String() + " ORDER BY " + order + " DESC LIMIT ?"
	if query.Org != "" {
		from = "WITH newest AS MATERIALIZED (" + from + ") SELECT users.* FROM newest JOIN users ON users.id = newest.user_id"
	}
	match := &sqlstore.Filter{}
	p.narrow(match)
	match.Conditions = append(match.Conditions, rest.Conditions...)
	args := append(append(append(newest.Args, newestLooked), match.Args...), rest.Args...)
	return d.rows(ctx, query, "SELECT id FROM ("+from+") AS users"+match.String(), args)
}

// rows reads the page from the identifiers that a statement selects. The statement is materialized: with
// outdated statistics, as after an import, PostgreSQL would run it once for each account.
func (d userDirectory) rows(ctx context.Context, query people.UserQuery, ids string, args []any) ([]sqlstore.UserRow, error) {
	const newestFirst = " ORDER BY id DESC LIMIT ?"
	var found []sqlstore.UserRow
	err := d.store.Reader(ctx).Search(ctx, &found, "WITH page AS MATERIALIZED ("+ids+newestFirst+") SELECT "+sqlstore.UserColumns+
		" FROM users WHERE id IN (SELECT id FROM page)"+newestFirst, append(args, sqlstore.AtMost(query.Limit), sqlstore.AtMost(query.Limit))...)
	return found, err
}
