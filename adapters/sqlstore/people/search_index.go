package people

import (
	"context"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
	"gatehouse.internal/ports/outbound/people"
)

// unsearched is the condition of accounts that the index does not contain as they are: those stored before there was
// one, and those that a replica of an older release changed.
const unsearched = "(searched_at IS NULL OR searched_at <> updated_at)"

// SearchIndex returns the index of searches.
func SearchIndex(store *sqlstore.Store) people.SearchIndex { return searchIndex{store} }

type searchIndex struct{ store *sqlstore.Store }

// Fill enters a batch of accounts. Their rows are locked, so that a change of one is entered after it.
func (s searchIndex) Fill(ctx context.Context, after user.ID, most int) (last user.ID, err error) {
	err = s.store.Transact(ctx, func(tx *sqlstore.Tx) error {
		last = ""
		var found []sqlstore.UserRow
		err := tx.List(ctx, &found, "SELECT "+sqlstore.UserColumns+" FROM users WHERE "+unsearched+
			" AND id > ? ORDER BY id LIMIT ? {for no key update}", after.String(), most)
		if err != nil || len(found) == 0 {
			return sqlstore.Wrap("read accounts", err)
		}
		ids, entries := make(sqlstore.Rows, len(found)), make(sqlstore.Rows, len(found))
		for i := range found {
			snapshot, err := s.store.UserSnapshot(&found[i])
			if err != nil {
				return err
			}
			last = snapshot.ID
			ids[i], entries[i] = []any{last.String()}, []any{last.String(), tokensOf(s.store, snapshot)}
		}
		if err := enter(ctx, tx, entries); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, "UPDATE users SET searched_at = updated_at WHERE id {any id text}", ids)
		return sqlstore.Wrap("note that accounts are indexed", err)
	})
	return last, sqlstore.Wrap("index accounts", err)
}

// enter stores the tokens of accounts.
func enter(ctx context.Context, tx *sqlstore.Tx, entries sqlstore.Rows) error {
	_, err := tx.Exec(ctx, `INSERT INTO user_search (user_id, tokens) SELECT r.id, r.tokens FROM {rows id text, tokens text} WHERE TRUE
		ON CONFLICT (user_id) DO UPDATE SET tokens = EXCLUDED.tokens WHERE user_search.tokens <> EXCLUDED.tokens`, entries)
	return sqlstore.Wrap("store tokens of accounts", err)
}
