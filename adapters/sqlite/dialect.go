package sqlite

import (
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"gatehouse.internal/adapters/sqlstore"
)

// Dialect is the SQL of SQLite.
type Dialect struct {
	// file is the database, beside which the lock of the migrations lies.
	file string
}

var _ sqlstore.Dialect = Dialect{}

// Words returns what the markers stand for.
func (Dialect) Words() map[string]string {
	return map[string]string{
		"key":      "TEXT",
		"bytes":    "BLOB",
		"time":     "INTEGER", // microseconds of the Unix epoch
		"unlogged": "",
		"fill 70":  "",
		"fill 80":  "",
		"second":   "1000000",
		"clock":    "NULL", // it has none but this process's
		"position": "instr",
		// A transaction that writes is alone anyway.
		"for update":        "",
		"for no key update": "",
		"for share":         "",
		"for key share":     "",
		"key share if free": "",
		"skip locked":       "",
		"tables": `SELECT name, 0 AS estimate FROM sqlite_schema
			WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE 'goose%' AND name NOT LIKE 'user_search_tokens%'`,
		// A query between the two, of one column named value, runs for each row of what
		// stands before it.
		"each":                        "json_each((SELECT json_group_array(value) FROM (",
		"as newest":                   "))) AS newest",
		"texts of apps.redirect_urls": "json_each(NULLIF(apps.redirect_urls, ''))",
		// Without these the file would keep what was overwritten in its free space, and the
		// log beside it even after that.
		"rewrite":    "VACUUM",
		"empty log":  "PRAGMA wal_checkpoint(TRUNCATE)",
		"store size": "(SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size())",
		// Unlike a rowid of its own, a column keeps its value when the file is rewritten.
		"search number": "number INTEGER PRIMARY KEY,",
		"search index": `CREATE VIRTUAL TABLE user_search_tokens USING fts5(
				tokens, content = 'user_search', content_rowid = 'number', detail = none, columnsize = 0, tokenize = 'ascii');
			CREATE TRIGGER user_search_entered AFTER INSERT ON user_search BEGIN
				INSERT INTO user_search_tokens (rowid, tokens) VALUES (NEW.number, NEW.tokens);
			END;
			CREATE TRIGGER user_search_changed AFTER UPDATE ON user_search BEGIN
				INSERT INTO user_search_tokens (user_search_tokens, rowid, tokens) VALUES ('delete', OLD.number, OLD.tokens);
				INSERT INTO user_search_tokens (rowid, tokens) VALUES (NEW.number, NEW.tokens);
			END;
			CREATE TRIGGER user_search_left AFTER DELETE ON user_search BEGIN
				INSERT INTO user_search_tokens (user_search_tokens, rowid, tokens) VALUES ('delete', OLD.number, OLD.tokens);
			END`,
		"search matches": "number IN (SELECT rowid FROM user_search_tokens WHERE user_search_tokens MATCH ?)",
		"search holds":   "NOT EXISTS (SELECT 1 FROM json_each('[\"' || replace(?, ' ', '\",\"') || '\"]') WHERE instr(tokens, value) = 0)",
		"queue events": `CREATE TRIGGER events_queued AFTER INSERT ON events BEGIN
			INSERT INTO event_queue (event_id, org_id, kind) VALUES (NEW.id, NEW.org_id, NEW.kind);
			END`,
		// Its trigger stays: WITH takes no changes here.
		"queue events of the release before": "SELECT 1",
	}
}

// Placeholders leaves the parameters as they are.
func (Dialect) Placeholders(query string) string { return query }

// Rows reads one JSON array of rows, which are arrays, or compares with the first
// values of them.
func (Dialect) Rows(columns []sqlstore.Column) (table, comparison string) {
	values := make([]string, len(columns))
	for i, c := range columns {
		value := fmt.Sprintf("value ->> %d", i)
		if c.Type == sqlstore.Bytes {
			value = "unhex(" + value + ")"
		}
		values[i] = value + " AS " + c.Name
	}
	table = "(SELECT " + strings.Join(values, ", ") + " FROM json_each(?)) AS r"
	return table, "IN (SELECT value ->> 0 FROM json_each(?))"
}

// Bind writes the rows as JSON: times as microseconds, bytes in hexadecimal.
func (Dialect) Bind(_ []sqlstore.Column, rows [][]driver.Value) ([]any, error) {
	for _, row := range rows {
		for i, value := range row {
			switch v := value.(type) {
			case []byte:
				row[i] = hex.EncodeToString(v)
			case time.Time:
				row[i] = v.UnixMicro()
			}
		}
	}
	table, err := json.Marshal(rows)
	if err != nil {
		return nil, err
	}
	return []any{string(table)}, nil
}

// Failure returns what an error of the driver means.
func (Dialect) Failure(err error) sqlstore.Failure {
	failed, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		return sqlstore.Other
	}
	switch failed.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY:
		return sqlstore.Duplicate
	case sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
		return sqlstore.Orphan
	}
	// The low byte is the code without its extension.
	switch failed.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return sqlstore.Transient
	}
	return sqlstore.Other
}

// Migrations locks by a lock on a file beside the database.
func (d Dialect) Migrations() (goose.Dialect, goose.ProviderOption, error) {
	return goose.DialectSQLite3, goose.WithLocker(&fileLock{name: d.file + ".lock"}), nil
}
