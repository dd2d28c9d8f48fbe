package sqlstore

import (
	"database/sql/driver"

	"github.com/pressly/goose/v3"
)

// Dialect is everything in which the databases differ.
type Dialect interface {
	// Words returns what the markers in statements and migrations stand for.
	Words() map[string]string
	// Placeholders writes the parameters, ?, in the database's own form.
	Placeholders(query string) string
	// Rows returns rows that come as parameters as a table named r, an item of FROM,
	// and as what compares with each value of the first column.
	Rows(columns []Column) (table, comparison string)
	// Bind returns the parameters of such a table, however many rows it has.
	Bind(columns []Column, rows [][]driver.Value) ([]any, error)
	// Failure returns what an error of the driver means.
	Failure(err error) Failure
	// Migrations returns goose's dialect and the lock that makes replicas which
	// start at once migrate one after the other.
	Migrations() (goose.Dialect, goose.ProviderOption, error)
}

// Column is a column of rows that come as parameters.
type Column struct {
	Name string
	Type ColumnType
}

// ColumnType is the type of such a column.
type ColumnType string

// The types there are.
const (
	Text    ColumnType = "text"
	BigInt  ColumnType = "bigint"
	Bytes   ColumnType = "bytes"
	Boolean ColumnType = "boolean"
	Time    ColumnType = "time"
)

// Failure is what an error of a driver means to the store.
type Failure int

// The failures that the store tells apart.
const (
	// Other is everything else.
	Other Failure = iota
	// Duplicate is a value that must be unique and is not.
	Duplicate
	// Transient passes when the transaction runs again: a deadlock, a busy
	// database, or a connection that was lost.
	Transient
	// Orphan is a row that belongs to one which disappeared under the transaction.
	Orphan
	// Unmet is a statement that failed by a condition of its own: it divided by zero.
	Unmet
)
