package people

import (
	"context"
	"fmt"
	"strings"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/ports/outbound/people"
)

// How many of the newest accounts are searched before an index is, which for what many accounts match takes longer.
const (
	// newestLooked mostly contain a page: lists are ordered by age, but indexes by text are not.
	newestLooked = 20_000
	// newestCounted mostly contain as many matches as are counted, if a twentieth of newestLooked match.
	newestCounted = 250_000
	manyMatches   = newestLooked / 20
)

// searched returns a page of the accounts that match a text. It is picked from the newest accounts and, if they do
// not contain a full page, from all that an index finds, which takes time in proportion to their number. Both
// return the same page, so that the next page may be read another way.
func (d userDirectory) searched(ctx context.Context, query people.UserQuery, s search, rest *sqlstore.Filter) ([]sqlstore.UserRow, error) {
	if query.Limit > 0 {
		found, err := d.amongNewest(ctx, query, s, rest)
		if err != nil || len(found) == query.Limit {
			return found, err
		}
		if all, err := d.fewToSearch(ctx, query); err != nil || all {
			return found, err
		}
	}
	ids, args := matching(query, s, rest)
	// Materialized, because with LIMIT PostgreSQL may scan all accounts from the newest on until it has found enough.
	return d.rows(ctx, query, "WITH found AS MATERIALIZED ("+ids+") SELECT id FROM found", args)
}

// countSearched counts the accounts that match a text, at most the limit of the query.
func (d userDirectory) countSearched(ctx context.Context, query people.UserQuery, s search, rest *sqlstore.Filter) (int, error) {
	among := func(most int) (int, error) {
		ids, args := matchingNewest(query, most, s, rest)
		return d.counted(ctx, query, ids, args)
	}
	few, err := among(newestLooked)
	if err != nil {
		return 0, err
	}
	if all, err := d.fewToSearch(ctx, query); err != nil || all {
		return few, err
	}
	if few >= manyMatches && query.Limit > 0 {
		if many, err := among(newestCounted); err != nil || many == query.Limit {
			return many, err
		}
	}
	ids, args := matching(query, s, rest)
	return d.counted(ctx, query, ids, args)
}

// counted counts the rows of a statement, at most the limit of the query.
func (d userDirectory) counted(ctx context.Context, query people.UserQuery, rows string, args []any) (int, error) {
	var count []int
	err := d.store.Reader(ctx).Search(ctx, &count, "SELECT COUNT(*) FROM ("+rows+" LIMIT ?) AS counted", append(args, sqlstore.AtMost(query.Limit))...)
	if err != nil {
		return 0, fmt.Errorf("count accounts: %w", err)
	}
	return count[0], nil
}

// newest returns a statement for the newest accounts, or for those of the workspace that the query names.
func newest(query people.UserQuery, most int, columns string) (string, []any) {
	f, from, order := &sqlstore.Filter{}, "users", "id"
	if query.Org != "" {
		f, from, order = ofMembers(query), "members", "user_id"
		columns = order
	}
	f.Unless(query.Before == "", order+" < ?", query.Before.String())
	return "SELECT " + columns + " FROM " + from + f.String() + " ORDER BY " + order + " DESC LIMIT ?", append(f.Args, most)
}

// fewToSearch reports whether the newest accounts are all that there are.
func (d userDirectory) fewToSearch(ctx context.Context, query people.UserQuery) (bool, error) {
	from, args := newest(query, newestLooked, "id")
	var count []int
	err := d.store.Reader(ctx).Search(ctx, &count, "SELECT COUNT(*) FROM ("+from+") AS newest", args...)
	if err != nil {
		return false, fmt.Errorf("count accounts: %w", err)
	}
	return count[0] < newestLooked, nil
}

// amongNewest picks the page from the newest accounts; it may find too few.
func (d userDirectory) amongNewest(ctx context.Context, query people.UserQuery, s search, rest *sqlstore.Filter) ([]sqlstore.UserRow, error) {
	ids, args := matchingNewest(query, newestLooked, s, rest)
	return d.rows(ctx, query, ids, args)
}

// matchingNewest returns a statement for the identifiers of the newest accounts that match.
func matchingNewest(query people.UserQuery, most int, s search, rest *sqlstore.Filter) (string, []any) {
	from, args := newest(query, most, "*")
	if query.Org != "" {
		from = "WITH newest AS MATERIALIZED (" + from + ") SELECT users.* FROM newest JOIN users ON users.id = newest.user_id"
	}
	match := &sqlstore.Filter{
		Conditions: append(append([]string{}, s.row.Conditions...), rest.Conditions...),
		Args:       append(append(args, s.row.Args...), rest.Args...),
	}
	return "SELECT id FROM (" + from + ") AS users" + match.String(), match.Args
}

// matching returns a statement for the identifiers of all accounts that match: of each range those that are in none
// before it, so that nothing has to be gathered to tell duplicates.
func matching(query people.UserQuery, s search, rest *sqlstore.Filter) (string, []any) {
	all := &sqlstore.Filter{Conditions: rest.Conditions, Args: rest.Args}
	all.Unless(query.Before == "", "id < ?", query.Before.String())
	if query.Org != "" {
		within := ofMembers(query)
		within.Where("members.user_id = users.id")
		all.Where("EXISTS (SELECT 1 FROM members"+within.String()+")", within.Args...)
	}
	var ranges []string
	var args []any
	for i, found := range s.ranges {
		match := &sqlstore.Filter{}
		match.Where(found.Conditions[0], found.Args...)
		for _, before := range s.ranges[:i] {
			match.Where("NOT "+before.Conditions[0], before.Args...)
		}
		match.Conditions, match.Args = append(match.Conditions, all.Conditions...), append(match.Args, all.Args...)
		ranges, args = append(ranges, "SELECT id FROM users"+match.String()), append(args, match.Args...)
	}
	return "SELECT id FROM (" + strings.Join(ranges, " UNION ALL ") + ") AS matching", args
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
