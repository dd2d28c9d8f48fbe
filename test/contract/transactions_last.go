package contract

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/domain/user"
)

// withinLast leaves something for the end in units of one transaction, of which some
// fail.
func (w *world) withinLast(t *testing.T) {
	errUndone, errLast := errors.New("undone"), errors.New("last")
	unit := sqlstore.NewUnit(w.store, func(tx *sqlstore.Tx) *sqlstore.Tx { return tx })
	for name, c := range map[string]struct {
		keep bool
		last error
		done int
	}{
		"kept": {true, nil, 2}, "dropped": {false, nil, 0}, "failing at the end": {true, errLast, 1},
	} {
		done, within := 0, true
		leave := func(ctx context.Context, outcome error) error {
			return unit.Do(ctx, func(tx *sqlstore.Tx) error {
				tx.Last(func(context.Context) error {
					if within {
						t.Errorf("%s: done before the end", name)
					}
					done++
					return c.last
				})
				return outcome
			})
		}
		var made user.ID
		err := w.store.Within(t.Context(), func(ctx context.Context) bool {
			is(t, "the first unit", leave(ctx, nil), nil)
			is(t, "a unit that fails", leave(ctx, errUndone), errUndone)
			is(t, "the last unit", leave(ctx, nil), nil)
			made = w.add(ctx, t, strings.ReplaceAll(name, " ", "-")+"@last.example.com", nil)
			within = false
			return c.keep
		})
		is(t, "the transaction", err, c.last)
		equal(t, name+": what was done at the end", done, c.done)
		equal(t, name+": what the transaction stored", w.there(t, made), c.keep && c.last == nil)
	}
}
