package sqlstore

import (
	"database/sql/driver"

	"github.com/pressly/goose/v3"
)

// Dialect is the difference between the databases.
type Dialect interface {
	// Words returns the text that replaces each marker in statements and migrations.
	Words() map[string]string
	// Placeholders writes the parameters, ?, in the database's own form.
	Placeholders(query string) string
	// Rows returns how rows that are passed as a parameter are written: as a table r in FROM,
	// and as an operand that is compared with each value of the first column.
	Rows(columns []Column) (table, comparison string)
	// Bind returns the driver's parameters for such a table with any number of rows.
	Bind(columns []Column, rows [][]driver.Value) ([]any, error)
	// Failure returns what an error of the driver means.
	Failure(err error) Failure
	// Migrations returns goose's dialect and the lock that makes replicas which
	// start at once migrate one after the other.
	Migrations() (goose.Dialect, goose.ProviderOption, error)
}

// Column is a column of rows that are passed as a parameter.
type Column struct {
	Name string
	Type ColumnType
}

// ColumnType is the type of such a column.
type ColumnType string

// The column types.
const (
	Text    ColumnType = "text"
	BigInt  ColumnType = "bigint"
	Bytes   ColumnType = "bytes"
	Boolean ColumnType = "boolean"
	Time    ColumnType = "time"
)

// Failure is what an error of a driver means to the store.
type Failure int

// The failures that the store distinguishes.
const (
	// Other is everything else.
	Other Failure = iota
	// Duplicate is a value that must be unique and is not.
	Duplicate
	// Transient is a failure that a retry of the transaction may resolve: a deadlock, a busy
	// database, or a lost connection.
	Transient
	// Orphan is a row whose parent was deleted concurrently.
	Orphan
	// ConditionFailed is a statement that failed by its own condition, by a division by zero.
	ConditionFailed
)
