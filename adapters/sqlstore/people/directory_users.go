package people

import (
	"context"
	"fmt"

	"gatehouse.internal/adapters/sqlstore"
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
	f, possible := matchUsers(query)
	if !possible {
		return nil, nil
	}
	found, err := d.found(ctx, query, f)
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

// found returns a page of the accounts that match.
func (d userDirectory) found(ctx context.Context, query people.UserQuery, f *sqlstore.Filter) (found []sqlstore.UserRow, err error) {
	if query.Text != "" {
		s := newSearch(d.store, query.Text)
		if len(s.ranges) == 0 {
			return nil, nil
		}
		if query.Only == "" {
			return d.searched(ctx, query, s, f)
		}
		f.Where(s.row.Conditions[0], s.row.Args...)
	}
	err = d.page(ctx, &found, "", query, f)
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

// matchUsers returns the conditions of a query for accounts, except for its workspace, its cursor and its
// text. It reports false if nothing can match.
func matchUsers(query people.UserQuery) (f *sqlstore.Filter, possible bool) {
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
	return f, true
}

// Count counts the accounts that match, at most the limit of the query.
func (d userDirectory) Count(ctx context.Context, query people.UserQuery) (int, error) {
	query.Before = ""
	f, possible := matchUsers(query)
	if !possible {
		return 0, nil
	}
	if query.Text != "" {
		s := newSearch(d.store, query.Text)
		if len(s.ranges) == 0 {
			return 0, nil
		}
		if query.Only == "" {
			return d.countSearched(ctx, query, s, f)
		}
		f.Where(s.row.Conditions[0], s.row.Args...)
	}
	from := "users"
	if query.Org != "" {
		within := ofMembers(query)
		from = "members JOIN users ON users.id = members.user_id"
		f.Conditions, f.Args = append(within.Conditions, f.Conditions...), append(within.Args, f.Args...)
	}
	return d.counted(ctx, query, "SELECT 1 FROM "+from+f.String(), f.Args)
}

// Indexed reports whether the index of searches contains all accounts.
func (d userDirectory) Indexed(ctx context.Context) (bool, error) {
	var missing []int
	err := d.store.Reader(ctx).List(ctx, &missing, "SELECT 1 FROM users WHERE "+unsearched+" LIMIT 1")
	return len(missing) == 0, sqlstore.Wrap("look for accounts that are not indexed", err)
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
