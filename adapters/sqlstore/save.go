package sqlstore

import (
	"context"
	"database/sql"
	"strings"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
)

// cell is a column of a table with a value for it.
type cell struct {
	column string
	value  any
}

// row is the state of one row. Name and value stand side by side, so that no list
// of parameters has to be counted.
type row []cell

// root is what every aggregate embeds.
type root interface {
	Version() int64
	Stored() []event.Data
}

// save stores an aggregate and its events: INSERT when it was never stored, else
// UPDATE of the version it was read at. It fails with aggregate.ErrConflict when
// there is no such row, and leaves the transaction usable.
func (t *Tx) save(ctx context.Context, table string, key, state row, agg root) error {
	n, err := t.write(ctx, table, key, state, agg.Version())
	switch {
	case err != nil:
		return err
	case n == 0:
		return aggregate.ErrConflict
	}
	return t.record(ctx, agg.Stored())
}

// write stores a row that was read at a version, 0 for never; it tells whether it could.
func (t *Tx) write(ctx context.Context, table string, key, state row, version int64) (int64, error) {
	if version == 0 {
		return t.insert(ctx, table, append(append(row{}, key...), state...))
	}
	return t.update(ctx, table, state, append(append(row{}, key...), cell{"version", version}))
}

// insert adds a row at version 1, unless a unique value of it is taken.
func (t *Tx) insert(ctx context.Context, table string, cells row) (int64, error) {
	names, args := make([]string, len(cells)), make([]any, len(cells))
	for i, c := range cells {
		names[i], args[i] = c.column, c.value
	}
	return t.q.exec(ctx, "INSERT INTO "+table+" ("+strings.Join(names, ", ")+", version) VALUES ("+
		strings.Repeat("?, ", len(cells))+"1) ON CONFLICT DO NOTHING", args...)
}

// update changes the row that has all the given values, one version on.
func (t *Tx) update(ctx context.Context, table string, state, which row) (int64, error) {
	var text strings.Builder
	args := make([]any, 0, len(state)+len(which))
	text.WriteString("UPDATE " + table + " SET ")
	for _, c := range state {
		text.WriteString(c.column + " = ?, ")
		args = append(args, c.value)
	}
	text.WriteString("version = version + 1 WHERE ")
	for i, c := range which {
		if i > 0 {
			text.WriteString(" AND ")
		}
		if absent, ok := c.value.(sql.NullString); ok && !absent.Valid {
			text.WriteString(c.column + " IS NULL")
			continue
		}
		text.WriteString(c.column + " = ?")
		args = append(args, c.value)
	}
	return t.q.exec(ctx, text.String(), args...)
}
