package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"

	"gatehouse.internal/domain/email"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound"
)

// Directories run statements that are planned anew for their values each time
// (queries.search): which index is best depends on them, and a list is not asked
// as often as planning would cost.

// UserDirectory lists and finds accounts for reading.
func (s *Store) UserDirectory() outbound.UserDirectory { return userDirectory{s} }

type userDirectory struct{ store *Store }

// List gives accounts, newest first.
func (d userDirectory) List(ctx context.Context, query outbound.UserQuery) ([]user.Snapshot, error) {
	matching, possible := d.store.matchUsers(query)
	if !possible {
		return nil, nil
	}
	list := d.matching
	if d.store.clear && query.Text != "" {
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
		if listed[i], err = d.store.userSnapshot(&found[i]); err != nil {
			return nil, err
		}
	}
	return listed, nil
}

// matching gives a page of the accounts that match.
func (d userDirectory) matching(ctx context.Context, query outbound.UserQuery, f *filter) ([]userRow, error) {
	from, order := "users", "id"
	if query.Org != "" {
		// The primary key of members has the users of a workspace in order.
		from, order = "(SELECT user_id FROM members WHERE org_id = ?) AS m JOIN users ON users.id = m.user_id", "m.user_id"
		f.args = append([]any{query.Org.String()}, f.args...)
	}
	f.unless(query.Before == "", order+" < ?", query.Before.String())
	var found []userRow
	err := d.store.reader(ctx).search(ctx, &found, "SELECT "+userColumns+" FROM "+from+f.String()+
		" ORDER BY "+order+" DESC LIMIT ?", append(f.args, atMost(query.Limit))...)
	return found, err
}

// matchUsers gives the conditions of a query for accounts but for its workspace,
// its place in the list, and the beginning that is searched for where personal data
// is kept in clear; false when nothing can match.
func (s *Store) matchUsers(query outbound.UserQuery) (f *filter, possible bool) {
	f = &filter{}
	f.unless(query.Only == "", "id = ?", query.Only.String())
	f.unless(query.CreatedAfter.IsZero(), "created_at > ?", at(query.CreatedAfter))
	// These words stand in the text, because an index is chosen by them.
	switch now := at(query.Now); query.Status {
	case "":
	case string(user.Disabled):
		f.where("status = 'disabled' AND (disabled_until IS NULL OR disabled_until > ?)", now)
	case string(user.Active):
		f.where("(status <> 'disabled' OR disabled_until <= ?)", now)
	case outbound.UserLocked:
		f.where("id IN (SELECT user_id FROM credentials WHERE locked_until IS NOT NULL AND locked_until > ?)", now)
	default:
		return f, false
	}
	if query.Text == "" || s.clear {
		return f, true
	}
	address, err := email.Parse(query.Text)
	f.where("email_index = ?", s.emailIndex(address))
	return f, err == nil
}

// Find gives one account.
func (d userDirectory) Find(ctx context.Context, by outbound.UserKey) (user.Snapshot, error) {
	which, value := "id = ?", any(by.ID.String())
	switch {
	case !by.Email.IsZero():
		which, value = "email_index = ?", d.store.emailIndex(by.Email)
	case by.ExternalID != "":
		which, value = "external_index = ?", d.store.externalIndex(by.ExternalID)
	}
	var found userRow
	err := d.store.reader(ctx).get(ctx, &found, "SELECT "+userColumns+" FROM users WHERE "+which, value)
	if errors.Is(err, sql.ErrNoRows) {
		return user.Snapshot{}, user.ErrNotFound
	}
	if err != nil {
		return user.Snapshot{}, fmt.Errorf("find an account: %w", err)
	}
	return d.store.userSnapshot(&found)
}

// atMost is the parameter of LIMIT; 0 is no limit.
func atMost(limit int) int64 {
	if limit <= 0 {
		return math.MaxInt64
	}
	return int64(limit)
}

// search reads all rows into a slice, by a statement that is planned for its values.
func (q *queries) search(ctx context.Context, into any, portable string, args ...any) error {
	found, err := q.pool.find(portable)
	if err != nil {
		return err
	}
	bound, err := found.statement.bind(q.pool.dialect, args)
	if err != nil {
		return err
	}
	if q.tx != nil {
		return q.tx.SelectContext(ctx, into, found.statement.text, bound...)
	}
	return q.pool.db.SelectContext(ctx, into, found.statement.text, bound...)
}
