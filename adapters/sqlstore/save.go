package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"gatehouse.internal/domain/aggregate"
	"gatehouse.internal/domain/event"
)

// Cell is a column of a table with a value for it. It is an alias, so that the
// cells of a row need no names of fields.
type Cell = struct {
	Column string
	Value  any
}

// Row is the state of one row, with the value of each column beside its name.
type Row []Cell

// Aggregate is what every aggregate embeds.
type Aggregate interface {
	Version() int64
	Difference() (*event.Change, error)
	Stored() []event.Data
}

// Save stores an aggregate and its events: INSERT when it was never stored, else
// UPDATE of the version it was read at. It fails with aggregate.ErrConflict when
// there is no such row, and leaves the transaction usable.
func (t *Tx) Save(ctx context.Context, table string, key, state Row, agg Aggregate) error {
	n, err := t.Write(ctx, table, key, state, agg.Version())
	switch {
	case err != nil:
		return fmt.Errorf("save a row of %s: %w", table, err)
	case n == 0:
		return aggregate.ErrConflict
	}
	return t.RecordOf(ctx, agg)
}

// Delete removes the row of an aggregate at the version that it was read at, and records its events.
// It fails with aggregate.ErrConflict if there is no such row.
func (t *Tx) Delete(ctx context.Context, table string, key Row, agg Aggregate) error {
	var text strings.Builder
	text.WriteString("DELETE FROM " + table)
	args := appendWhere(&text, nil, append(append(Row{}, key...), Cell{"version", agg.Version()}))
	n, err := t.Exec(ctx, text.String(), args...)
	switch {
	case err != nil:
		return fmt.Errorf("delete a row of %s: %w", table, err)
	case n == 0:
		return aggregate.ErrConflict
	}
	return t.RecordOf(ctx, agg)
}

// RecordOf records the events of an aggregate whose state has been stored, and the change that
// they report.
func (t *Tx) RecordOf(ctx context.Context, agg Aggregate) error {
	change, err := agg.Difference()
	if err != nil {
		return err
	}
	return t.record(ctx, agg.Stored(), change)
}

// Write stores a row that was read at a version; 0 for a new row. It returns the number of rows
// that it wrote.
func (t *Tx) Write(ctx context.Context, table string, key, state Row, version int64) (int64, error) {
	if version == 0 {
		return t.Insert(ctx, table, append(append(Row{}, key...), state...))
	}
	return t.Update(ctx, table, state, append(append(Row{}, key...), Cell{"version", version}))
}

// Insert adds a row at version 1, unless a unique value of it is taken.
func (t *Tx) Insert(ctx context.Context, table string, cells Row) (int64, error) {
	names, args := make([]string, len(cells)), make([]any, len(cells))
	for i, c := range cells {
		names[i], args[i] = c.Column, c.Value
	}
	return t.Exec(ctx, "INSERT INTO "+table+" ("+strings.Join(names, ", ")+", version) VALUES ("+
		strings.Repeat("?, ", len(cells))+"1) ON CONFLICT DO NOTHING", args...)
}

// Update changes the row that has all the given values, and increments its version.
func (t *Tx) Update(ctx context.Context, table string, state, which Row) (int64, error) {
	var text strings.Builder
	args := make([]any, 0, len(state)+len(which))
	text.WriteString("UPDATE " + table + " SET ")
	for _, c := range state {
		text.WriteString(c.Column + " = ?, ")
		args = append(args, c.Value)
	}
	text.WriteString("version = version + 1")
	args = appendWhere(&text, args, which)
	return t.Exec(ctx, text.String(), args...)
}

// appendWhere writes the condition that a row has all the given values, and appends its parameters
// to args.
func appendWhere(text *strings.Builder, args []any, which Row) []any {
	text.WriteString(" WHERE ")
	for i, c := range which {
		if i > 0 {
			text.WriteString(" AND ")
		}
		if absent, ok := c.Value.(sql.NullString); ok && !absent.Valid {
			text.WriteString(c.Column + " IS NULL")
			continue
		}
		text.WriteString(c.Column + " = ?")
		args = append(args, c.Value)
	}
	return args
}
