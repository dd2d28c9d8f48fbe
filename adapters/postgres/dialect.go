package postgres

import (
	"database/sql/driver"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
	"github.com/lib/pq/pqerror"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"

	"gatehouse.internal/adapters/sqlstore"
)

// Replicas that start at once ask for the lock of the migrations every second,
// for five minutes.
const lockTries = 300

// Dialect is the SQL of PostgreSQL.
type Dialect struct{}

var _ sqlstore.Dialect = Dialect{}

// Words returns what the markers stand for.
func (Dialect) Words() map[string]string {
	return map[string]string{
		// Byte order, as in Go and SQLite; also what lets an index serve a prefix.
		"key":               `TEXT COLLATE "C"`,
		"bytes":             "BYTEA",
		"time":              "TIMESTAMPTZ",
		"unlogged":          "UNLOGGED",
		"fill 70":           "WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05)",
		"fill 80":           "WITH (fillfactor = 80)",
		"second":            "INTERVAL '1 second'",
		"clock":             "clock_timestamp()",
		"position":          "strpos",
		"for update":        "FOR UPDATE",
		"for no key update": "FOR NO KEY UPDATE",
		"for share":         "FOR SHARE",
		"for key share":     "FOR KEY SHARE",
		"key share if free": "FOR KEY SHARE SKIP LOCKED",
		"skip locked":       "FOR UPDATE SKIP LOCKED",
		"tables": `SELECT relname::text AS name, reltuples::bigint AS estimate FROM pg_class
			WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace AND relname NOT LIKE 'goose%'`,
		// A query between the two, of one column named value, runs for each row of what
		// stands before it.
		"each":      "LATERAL (",
		"as newest": ") AS newest",
		// Autovacuum clears away what was overwritten.
		"rewrite":                     "SELECT 1",
		"empty log":                   "SELECT 0 AS busy, 0 AS log, 0 AS checkpointed",
		"texts of apps.redirect_urls": "json_array_elements_text(NULLIF(apps.redirect_urls, '')::json)",
		"store size":                  "pg_database_size(current_database())",
		// The number of a row is what SQLite's full-text index needs.
		"search number": "",
		"search index": `CREATE INDEX user_search_tokens ON user_search USING gin (string_to_array(tokens, ' '))
			WITH (fastupdate = off)`,
		"search matches": "string_to_array(tokens, ' ') @> string_to_array(?, ' ')",
		"search holds":   "string_to_array(tokens, ' ') @> string_to_array(?, ' ')",
		"queue events": `CREATE FUNCTION queue_event() RETURNS TRIGGER LANGUAGE plpgsql AS $$
			BEGIN
				INSERT INTO event_queue (event_id, org_id, kind) SELECT id, org_id, kind FROM fresh;
				RETURN NULL;
			END $$;
			CREATE TRIGGER events_queued AFTER INSERT ON events REFERENCING NEW TABLE AS fresh
				FOR EACH STATEMENT EXECUTE FUNCTION queue_event()`,
		"queue events of the release before": `ALTER TABLE events ADD COLUMN queued BOOLEAN NOT NULL DEFAULT FALSE;
			CREATE OR REPLACE FUNCTION queue_event() RETURNS TRIGGER LANGUAGE plpgsql AS $$
			BEGIN
				INSERT INTO event_queue (event_id, org_id, kind) VALUES (NEW.id, NEW.org_id, NEW.kind) ON CONFLICT DO NOTHING;
				RETURN NULL;
			END $$;
			CREATE OR REPLACE TRIGGER events_queued AFTER INSERT ON events
				FOR EACH ROW WHEN (NOT NEW.queued) EXECUTE FUNCTION queue_event()`,
	}
}

// Placeholders numbers the parameters.
func (Dialect) Placeholders(query string) string { return sqlx.Rebind(sqlx.DOLLAR, query) }

// array returns the parameter that a column of rows becomes.
func array(c sqlstore.Column) string {
	types := map[sqlstore.ColumnType]string{
		sqlstore.Text: "text", sqlstore.BigInt: "bigint", sqlstore.Bytes: "bytea",
		sqlstore.Boolean: "boolean", sqlstore.Time: "timestamptz",
	}
	return "?::" + types[c.Type] + "[]"
}

// Rows unnests one array for each column, or compares with the elements of one.
func (Dialect) Rows(columns []sqlstore.Column) (table, comparison string) {
	names, arrays := make([]string, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		names[i], arrays[i] = c.Name, array(c)
	}
	table = "unnest(" + strings.Join(arrays, ", ") + ") AS r(" + strings.Join(names, ", ") + ")"
	return table, "= ANY(" + arrays[0] + ")"
}

// Bind returns one array for each column, as the text that PostgreSQL reads.
func (Dialect) Bind(columns []sqlstore.Column, rows [][]driver.Value) ([]any, error) {
	arrays := make([]any, len(columns))
	var text []byte
	for i := range columns {
		text = append(text[:0], '{')
		for j, row := range rows {
			if j > 0 {
				text = append(text, ',')
			}
			var err error
			if text, err = appendElement(text, row[i]); err != nil {
				return nil, fmt.Errorf("column %s: %w", columns[i].Name, err)
			}
		}
		arrays[i] = string(append(text, '}'))
	}
	return arrays, nil
}

// appendElement writes a value as an element of an array.
func appendElement(text []byte, value driver.Value) ([]byte, error) {
	switch v := value.(type) {
	case nil:
		return append(text, "NULL"...), nil
	case string:
		return appendQuoted(text, v), nil
	case int64:
		return strconv.AppendInt(text, v, 10), nil
	case bool:
		return strconv.AppendBool(text, v), nil
	case []byte:
		text = append(text, `"\\x`...)
		return append(hex.AppendEncode(text, v), '"'), nil
	case time.Time:
		text = append(text, '"')
		text = append(text, pq.FormatTimestamp(v.UTC())...)
		return append(text, '"'), nil
	default:
		return nil, fmt.Errorf("no column holds a %T", value)
	}
}

// appendQuoted writes a text so that it stands for nothing but itself.
func appendQuoted(text []byte, value string) []byte {
	text = append(text, '"')
	for i := range len(value) {
		if value[i] == '"' || value[i] == '\\' {
			text = append(text, '\\')
		}
		text = append(text, value[i])
	}
	return append(text, '"')
}

// Failure returns what an error of lib/pq means.
func (Dialect) Failure(err error) sqlstore.Failure {
	switch {
	case pq.As(err, pqerror.UniqueViolation) != nil:
		return sqlstore.Duplicate
	case pq.As(err, pqerror.TRSerializationFailure, pqerror.TRDeadlockDetected) != nil, lost(err):
		return sqlstore.Transient
	case pq.As(err, pqerror.ForeignKeyViolation) != nil:
		return sqlstore.Orphan
	case pq.As(err, pqerror.DivisionByZero) != nil:
		return sqlstore.ConditionFailed
	}
	return sqlstore.Other
}

// lost reports whether the connection is gone, or the server was going or coming.
func lost(err error) bool {
	if _, broken := errors.AsType[*net.OpError](err); broken {
		return true
	}
	return errors.Is(err, driver.ErrBadConn) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		pq.As(err, pqerror.AdminShutdown, pqerror.CrashShutdown, pqerror.CannotConnectNow) != nil
}

// Migrations locks by an advisory lock of the session.
func (Dialect) Migrations() (goose.Dialect, goose.ProviderOption, error) {
	locker, err := lock.NewPostgresSessionLocker(lock.WithLockTimeout(1, lockTries))
	if err != nil {
		return "", nil, fmt.Errorf("make the lock of the migrations: %w", err)
	}
	return goose.DialectPostgres, goose.WithSessionLocker(locker), nil
}
