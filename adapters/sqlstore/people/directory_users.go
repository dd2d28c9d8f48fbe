package people

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// Directories run statements that are planned for their parameters each time (sqlstore.Queries.Search): the
// best index depends on these, and lists are not requested so often that the cost of planning matters.

// UserDirectory lists and finds accounts for reading.
func UserDirectory(store *sqlstore.Store) people.UserDirectory { return userDirectory{store} }

type userDirectory struct{ store *sqlstore.Store }

// List returns accounts, newest first.
func (d userDirectory) List(ctx context.Context, query people.UserQuery) ([]user.Snapshot, error) {
	matching, possible := matchUsers(d.store, query)
	if !possible {
		return nil, nil
	}
	list := d.matching
	if d.store.InClear() && query.Text != "" {
		if list = d.beginning; query.Only != "" {
			list = d.matching
			newPrefix(query.Text).narrow(matching)
		}
	}
	found, err := list(ctx, query, matching)
	if err != nil {
		return nil, fmt.Errorf("list accounts: %w", err)
	}
	listed := make([]user.Snapshot, len(found))
	for i := range found {
		if listed[i], err = d.store.UserSnapshot(&found[i]); err != nil {
			return nil, err
		}
	}
	return listed, nil
}

// matching returns a page of the accounts that match.
func (d userDirectory) matching(ctx context.Context, query people.UserQuery, f *sqlstore.Filter) ([]sqlstore.UserRow, error) {
	var found []sqlstore.UserRow
	err := d.page(ctx, &found, "", query, f)
	return found, err
}

// page reads a page of the accounts that match and, where the query names a workspace,
// more columns of their memberships there.
func (d userDirectory) page(ctx context.Context, into any, more string, query people.UserQuery, f *sqlstore.Filter) error {
	q := d.store.Reader(ctx)
	read, from, order, limit := q.Search, "users", "id", " DESC LIMIT ?"
	most := sqlstore.AtMost(query.Limit)
	if query.Org != "" {
		// The primary key of members has the users of a workspace in order. Without other conditions
		// the page is read from it, so that no account is read unnecessarily.
		within, tail := ofMembers(query), ""
		within.Unless(query.Before == "", "members.user_id < ?", query.Before.String())
		if len(f.Conditions) == 0 {
			if query.Granted == "" {
				read = q.List // One plan serves all: it is a range of the key.
			}
			tail = " ORDER BY user_id" + limit
			within.Args = append(within.Args, most)
		}
		from, order = "(SELECT user_id, grants, joined_at FROM members"+within.String()+tail+") AS m JOIN users ON users.id = m.user_id", "m.user_id"
		f.Args = append(within.Args, f.Args...)
	}
	f.Unless(query.Before == "", "users.id < ?", query.Before.String())
	return read(ctx, into, "SELECT "+sqlstore.UserColumns+more+" FROM "+from+f.String()+
		" ORDER BY "+order+limit, append(f.Args, most)...)
}

// matchUsers returns the conditions of a query for accounts, except for its workspace, its cursor, and, if
// personal data is not sealed, its prefix. It reports false if nothing can match.
func matchUsers(store *sqlstore.Store, query people.UserQuery) (f *sqlstore.Filter, possible bool) {
	f = &sqlstore.Filter{}
	f.Unless(query.Only == "", "id = ?", query.Only.String())
	f.Unless(len(query.Among) == 0, "id {any id text}", sqlstore.OneColumn(query.Among))
	f.Unless(query.CreatedAfter.IsZero(), "created_at > ?", sqlstore.At(query.CreatedAfter))
	// The status is a literal in the text, so that the partial index is used.
	switch now := sqlstore.At(query.Now); query.Status {
	case "":
	case string(user.Disabled):
		f.Where("status = 'disabled' AND (disabled_until IS NULL OR disabled_until > ?)", now)
	case string(user.Active):
		f.Where("(status <> 'disabled' OR disabled_until <= ?)", now)
	case people.UserLocked:
		f.Where("id IN (SELECT user_id FROM credentials WHERE locked_until IS NOT NULL AND locked_until > ?)", now)
	default:
		return f, false
	}
	if query.Text == "" || store.InClear() {
		return f, true
	}
	address, err := email.Parse(query.Text)
	f.Where("email_index = ?", store.EmailIndex(address))
	return f, err == nil
}

// Count counts the accounts that match.
func (d userDirectory) Count(ctx context.Context, query people.UserQuery) (int, error) {
	f, possible := matchUsers(d.store, query)
	if !possible {
		return 0, nil
	}
	if d.store.InClear() && query.Text != "" {
		newPrefix(query.Text).narrow(f)
	}
	if query.Org != "" {
		within := ofMembers(query)
		within.Where("members.user_id = users.id")
		f.Where("EXISTS (SELECT 1 FROM members"+within.String()+")", within.Args...)
	}
	var count []int
	if err := d.store.Reader(ctx).Search(ctx, &count, "SELECT COUNT(*) FROM users"+f.String(), f.Args...); err != nil {
		return 0, fmt.Errorf("count accounts: %w", err)
	}
	return count[0], nil
}

// Find returns one account. It fails with user.ErrNotFound.
func (d userDirectory) Find(ctx context.Context, by people.UserKey) (user.Snapshot, error) {
	which, value := "id = ?", any(by.ID.String())
	switch {
	case !by.Email.IsZero():
		which, value = "email_index = ?", d.store.EmailIndex(by.Email)
	case by.ExternalID != "":
		which, value = "external_index = ?", d.store.ExternalIndex(by.ExternalID)
	}
	var found sqlstore.UserRow
	err := d.store.Reader(ctx).One(ctx, &found, user.ErrNotFound, "SELECT "+sqlstore.UserColumns+" FROM users WHERE "+which, value)
	if err != nil {
		return user.Snapshot{}, err
	}
	return d.store.UserSnapshot(&found)
}
