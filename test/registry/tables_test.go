package registry_test

import (
	"fmt"
	"slices"
	"testing"

	"gatehouse.internal/test/harness"
)

// tableNames are the names of all tables.
func tableNames(t *testing.T, h *harness.Service) []string {
	t.Helper()
	database := h.Store.Database().Read
	list := `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'`
	if database.DriverName() == "postgres" {
		list = `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`
	}
	var names []string
	if err := database.SelectContext(t.Context(), &names, list); err != nil {
		t.Fatal(err)
	}
	return names
}

// readAll calls a function with each row of a table, with the names of its columns.
func readAll(t *testing.T, h *harness.Service, table string, each func(columns []string, values []any)) {
	t.Helper()
	rows, err := h.Store.Database().Read.QueryxContext(t.Context(), `SELECT * FROM `+table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		values, err := rows.SliceScan()
		if err != nil {
			t.Fatal(err)
		}
		for i, value := range values {
			if raw, text := value.([]byte); text {
				values[i] = string(raw)
			}
		}
		each(columns, values)
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
}

// beside are the tables that calls change which change nothing: the limits, which count them,
// and the feed of events, into which EVENT.LIST takes those that were committed before it.
func beside() []string {
	return []string{"rate_limits", "event_queue", "event_feed", "feed_cursor", "audit_blocks", "audit_heads"}
}

// tables is each row of each table but those beside.
func tables(t *testing.T, h *harness.Service) map[string]bool {
	t.Helper()
	lines := map[string]bool{}
	for _, name := range slices.DeleteFunc(tableNames(t, h), func(name string) bool { return slices.Contains(beside(), name) }) {
		readAll(t, h, name, func(_ []string, values []any) { lines[fmt.Sprint(name, ": ", values)] = true })
	}
	return lines
}

// cell is what stands in a column, table.column, of one row.
type cell struct{ column, text string }

// cells are those of all tables.
func cells(t *testing.T, h *harness.Service) []cell {
	t.Helper()
	var all []cell
	for _, name := range tableNames(t, h) {
		readAll(t, h, name, func(columns []string, values []any) {
			for i, column := range columns {
				all = append(all, cell{name + "." + column, fmt.Sprint(values[i])})
			}
		})
	}
	return all
}
