package main

import (
	"context"
	"crypto/rand"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/crypto/argon2"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/domain/label"
	"gatehouse.internal/domain/mac"
)

// The costs of a password hash by default (contract section 4).
const (
	argonMemory = 19 << 10
	argonTime   = 2
	argonLanes  = 1
	argonKey    = 32
)

// fill puts a population into a migrated database. It writes past the service,
// for speed: in bulk, without secondary indexes, which it makes again behind it.
func fill(ctx context.Context, d *database, secret string, size population) (*people, error) {
	var p *people
	err := d.onOne(ctx, func(conn *sql.Conn) error {
		var err error
		if p, err = newPeople(ctx, conn, secret, size); err != nil {
			return err
		}
		into := filler{conn: conn, sqlite: d.store == sqliteStore}
		return into.all(ctx, p.tables())
	})
	return p, err
}

// onOne does something over one connection: what is set for it holds throughout.
func (d *database) onOne(ctx context.Context, do func(conn *sql.Conn) error) error {
	db, err := d.open()
	if err != nil {
		return err
	}
	defer db.Close()
	conn, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return do(conn)
}

// newPeople reads the key under which the store indexes addresses.
func newPeople(ctx context.Context, conn *sql.Conn, secret string, size population) (*people, error) {
	var encoded string
	if err := conn.QueryRowContext(ctx, "SELECT index_key FROM instance WHERE id = 1").Scan(&encoded); err != nil {
		return nil, fmt.Errorf("read the index key: %w", err)
	}
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return nil, fmt.Errorf("read the index key: %w", err)
	}
	return &people{
		population: size, hash: hashOf(memberPassword), blinder: cipher.NewBlinder(key),
		refreshKey: mac.New(cipher.Derive([]byte(secret), label.RefreshTokens, 32)),
		now:        time.Now().UTC().Truncate(time.Millisecond),
	}, nil
}

// hashOf hashes a password with the default costs.
func hashOf(password string) string {
	salt := make([]byte, 16)
	_, _ = rand.Read(salt) // it never fails
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=19$m=%d,t=%d,p=%d$%s$%s", argonMemory, argonTime, argonLanes, encode(salt),
		encode(argon2.IDKey([]byte(password), salt, argonTime, argonMemory, argonLanes, argonKey)))
}

// filler writes whole tables over one connection.
type filler struct {
	conn   *sql.Conn
	sqlite bool
}

func (f *filler) all(ctx context.Context, tables []table) error {
	before, after := []string{"SET session_replication_role = replica"}, // checks no reference row by row
		[]string{"RESET session_replication_role", "VACUUM (ANALYZE)", "CHECKPOINT"}
	if f.sqlite {
		before, after = []string{"PRAGMA synchronous = OFF", "PRAGMA foreign_keys = OFF"},
			[]string{"PRAGMA wal_checkpoint(TRUNCATE)"}
	}
	if err := f.exec(ctx, before...); err != nil {
		return err
	}
	for _, t := range tables {
		if err := f.table(ctx, t); err != nil {
			return fmt.Errorf("table %s: %w", t.name, err)
		}
	}
	return f.exec(ctx, after...)
}

func (f *filler) exec(ctx context.Context, statements ...string) error {
	for _, statement := range statements {
		if _, err := f.conn.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

func (f *filler) table(ctx context.Context, t table) error {
	indexes, err := f.indexes(ctx, t.name)
	if err != nil {
		return err
	}
	for _, index := range indexes {
		if err := f.exec(ctx, "DROP INDEX "+index.name); err != nil {
			return err
		}
	}
	write := f.copyIn
	if f.sqlite {
		write = f.insert
	}
	if err := write(ctx, t); err != nil {
		return err
	}
	for _, index := range indexes {
		if err := f.exec(ctx, index.definition); err != nil {
			return err
		}
	}
	return nil
}

type index struct{ name, definition string }

// indexes are those of a table that no constraint is made of.
func (f *filler) indexes(ctx context.Context, name string) ([]index, error) {
	query := `SELECT indexname, indexdef FROM pg_indexes WHERE tablename = $1 AND indexname NOT LIKE '%\_pkey'`
	if f.sqlite {
		query = `SELECT name, sql FROM sqlite_master WHERE type = 'index' AND tbl_name = ? AND sql IS NOT NULL`
	}
	found, err := f.conn.QueryContext(ctx, query, name)
	if err != nil {
		return nil, fmt.Errorf("list indexes: %w", err)
	}
	defer found.Close()
	var indexes []index
	for found.Next() {
		var one index
		if err := found.Scan(&one.name, &one.definition); err != nil {
			return nil, fmt.Errorf("list indexes: %w", err)
		}
		indexes = append(indexes, one)
	}
	return indexes, found.Err()
}

// copyIn uses PostgreSQL's COPY.
func (f *filler) copyIn(ctx context.Context, t table) error {
	tx, err := f.conn.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	statement, err := tx.PrepareContext(ctx, "COPY "+t.name+" ("+strings.Join(t.columns, ", ")+") FROM STDIN")
	if err != nil {
		return err
	}
	for row := range t.rows {
		if _, err := statement.ExecContext(ctx, row...); err != nil {
			return errors.Join(err, statement.Close())
		}
	}
	if _, err := statement.ExecContext(ctx); err != nil {
		return errors.Join(err, statement.Close())
	}
	return errors.Join(statement.Close(), tx.Commit())
}

// insert writes many rows at a time, in transactions that do not grow without end.
func (f *filler) insert(ctx context.Context, t table) error {
	const together, perCommit = 100, 500
	values := "(" + strings.TrimSuffix(strings.Repeat("?, ", len(t.columns)), ", ") + ")"
	statement := func(rows int) string {
		return "INSERT INTO " + t.name + " (" + strings.Join(t.columns, ", ") + ") VALUES " +
			strings.TrimSuffix(strings.Repeat(values+", ", rows), ", ")
	}
	if err := f.exec(ctx, "BEGIN"); err != nil {
		return err
	}
	full, arguments, batches := statement(together), make([]any, 0, together*len(t.columns)), 0
	for row := range t.rows {
		arguments = append(arguments, plain(row)...)
		if len(arguments) < together*len(t.columns) {
			continue
		}
		if _, err := f.conn.ExecContext(ctx, full, arguments...); err != nil {
			return err
		}
		arguments = arguments[:0]
		if batches++; batches%perCommit == 0 {
			if err := f.exec(ctx, "COMMIT", "BEGIN"); err != nil {
				return err
			}
		}
	}
	if rest := len(arguments) / len(t.columns); rest > 0 {
		if _, err := f.conn.ExecContext(ctx, statement(rest), arguments...); err != nil {
			return err
		}
	}
	return f.exec(ctx, "COMMIT")
}

// plain writes times as SQLite keeps them: microseconds of the Unix epoch.
func plain(row []any) []any {
	for i, value := range row {
		if t, ok := value.(time.Time); ok {
			row[i] = t.UnixMicro()
		}
	}
	return row
}
