package harness

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gatehouse.internal/adapters/cipher"
	"gatehouse.internal/adapters/postgres"
	"gatehouse.internal/adapters/sqlite"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/system"
)

// Postgres returns a database like EmptyPostgres that has the schema already, and
// nothing in it: migrating takes most of what a test does before it begins. An
// earlier test may have had it, under another name.
func Postgres(tb testing.TB) string {
	tb.Helper()
	s := sharedServer(tb)
	template, err := s.template("schema", s.pool.prepare)
	if err != nil {
		tb.Fatalf("prepare the database template of the schema: %v", err)
	}
	return s.lend(tb, template)
}

func migratePostgres(dsn string) error {
	database, err := postgres.Open(dsn, postgres.Pools{})
	if err != nil {
		return err
	}
	return migrate(database)
}

// SQLite returns the address of a new database of its own to a test, a file that has
// the schema and nothing in it.
func SQLite(tb testing.TB) string {
	tb.Helper()
	image, err := sqliteImage()
	if err != nil {
		tb.Fatalf("prepare a SQLite file: %v", err)
	}
	file := filepath.Join(tb.TempDir(), "gatehouse.db")
	if err := os.WriteFile(file, image, 0o600); err != nil {
		tb.Fatalf("make a SQLite file: %v", err)
	}
	return "sqlite://" + file
}

// sqliteImage is the content of a file with the schema, made once per process.
var sqliteImage = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "gatehouse-schema-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "gatehouse.db")
	database, err := sqlite.Open(file)
	if err != nil {
		return nil, err
	}
	if err := migrate(database); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// migrate brings an empty database to the schema, and closes it. What the first
// start stores is taken away again: it is sealed by keys of its own.
func migrate(database sqlstore.Database) error {
	clock := system.Clock{}
	store, err := sqlstore.Open(context.Background(), sqlstore.Config{
		Database: database, Personal: cipher.New(cipher.Keys{}, system.Random{}),
		Secrets: cipher.FromSecret(Password, "schema", system.Random{}),
		Clock:   clock, IDs: system.NewIDs(clock), Random: system.Random{}, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return errors.Join(err, database.Close())
	}
	_, err = database.Write.ExecContext(context.Background(), `DELETE FROM instance`)
	return errors.Join(err, store.Close())
}
