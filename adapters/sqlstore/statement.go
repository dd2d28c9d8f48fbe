package sqlstore

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// statement is a statement, translated for its database.
//
// The text it comes from is portable SQL with ? for parameters and markers in
// braces: a word of the dialect, or {rows name type, …} for a table r whose rows
// come as one parameter of type rows, so that one prepared statement serves any
// number of them:
//
//	DELETE FROM rate_limits WHERE key IN (SELECT r.key FROM {rows key text})
//
// {any name type} compares with rows of one column: column {any key text}. With it PostgreSQL
// finds each row by an index, whatever the statistics of the table say.
type statement struct {
	text   string
	tables [][]Column
}

// Rows is the parameter of a {rows …} marker: one slice of values for each row.
type Rows [][]any

// OneColumn returns rows of one column.
func OneColumn[T any](values []T) Rows {
	made := make(Rows, len(values))
	for i, value := range values {
		made[i] = []any{value}
	}
	return made
}

// BatchOf returns the beginning of a statement: a WITH clause that selects and locks at most so many rows, by
// its last parameter, into a table named batch with their keys. It is materialized: PostgreSQL could evaluate a
// subquery in the condition once for each row, and select other rows each time.
func BatchOf(key, rows string) string {
	return "WITH batch AS MATERIALIZED (SELECT " + key + " FROM " + rows + " LIMIT ? {skip locked}) "
}

// translate writes a portable text for a dialect.
func translate(d Dialect, portable string) (statement, error) {
	var s statement
	var text strings.Builder
	words := d.Words()
	for rest := portable; ; {
		before, after, found := strings.Cut(rest, "{")
		text.WriteString(before)
		if !found {
			break
		}
		marker, behind, closed := strings.Cut(after, "}")
		if !closed {
			return statement{}, fmt.Errorf("the marker {%s is not closed", marker)
		}
		rest = behind
		if kind, list, _ := strings.Cut(marker, " "); kind == "rows" || kind == "any" {
			columns, err := parseColumns(list)
			if err != nil {
				return statement{}, err
			}
			s.tables = append(s.tables, columns)
			table, comparison := d.Rows(columns)
			text.WriteString(map[string]string{"rows": table, "any": comparison}[kind])
			continue
		}
		word, known := words[marker]
		if !known {
			return statement{}, fmt.Errorf("the dialect has no word for {%s}", marker)
		}
		text.WriteString(word)
	}
	s.text = d.Placeholders(text.String())
	return s, nil
}

func parseColumns(list string) ([]Column, error) {
	var columns []Column
	for item := range strings.SplitSeq(list, ",") {
		fields := strings.Fields(item)
		if len(fields) != 2 || !slices.Contains([]ColumnType{Text, BigInt, Bytes, Boolean, Time}, ColumnType(fields[1])) {
			return nil, fmt.Errorf("{rows …} has a malformed column %q", item)
		}
		columns = append(columns, Column{Name: fields[0], Type: ColumnType(fields[1])})
	}
	return columns, nil
}

var errTables = errors.New("the statement has another number of {rows …} than parameters for them")

// bind returns the driver's parameters; rows are converted as the dialect requires.
func (s *statement) bind(d Dialect, args []any) ([]any, error) {
	if len(s.tables) == 0 {
		return args, nil
	}
	bound, tables := make([]any, 0, len(args)+16), s.tables
	for _, arg := range args {
		table, isTable := arg.(Rows)
		if !isTable {
			bound = append(bound, arg)
			continue
		}
		if len(tables) == 0 {
			return nil, errTables
		}
		values, err := table.values(tables[0])
		if err != nil {
			return nil, err
		}
		spread, err := d.Bind(tables[0], values)
		if err != nil {
			return nil, fmt.Errorf("bind rows: %w", err)
		}
		bound, tables = append(bound, spread...), tables[1:]
	}
	if len(tables) > 0 {
		return nil, errTables
	}
	return bound, nil
}

// values returns the rows as plain values of the driver.
func (r Rows) values(columns []Column) ([][]driver.Value, error) {
	plain := make([][]driver.Value, len(r))
	for i, row := range r {
		if len(row) != len(columns) {
			return nil, fmt.Errorf("a row has %d values for %d columns", len(row), len(columns))
		}
		plain[i] = make([]driver.Value, len(row))
		for j, value := range row {
			var err error
			if plain[i][j], err = driver.DefaultParameterConverter.ConvertValue(value); err != nil {
				return nil, fmt.Errorf("convert column %s: %w", columns[j].Name, err)
			}
		}
	}
	return plain, nil
}
