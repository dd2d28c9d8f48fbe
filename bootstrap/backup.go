package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gatehouse.internal/adapters/sqlite"
)

var (
	errNoDatabase = errors.New("DATABASE_URL is missing: set it to the database of the service (sqlite://data/gatehouse.db for gatehouse dev)")
	errPgDump     = errors.New(`gatehouse backup only supports SQLite: for PostgreSQL, run pg_dump --format=custom --file=FILE "$DATABASE_URL"`)
	errPgRestore  = errors.New(`gatehouse restore only supports SQLite: for PostgreSQL, run pg_restore --clean --if-exists --dbname="$DATABASE_URL" FILE`)
)

// sqliteName returns the file name of an SQLite address; it fails with other for
// another kind of database.
func sqliteName(address string, other error) (string, error) {
	name, isSQLite := strings.CutPrefix(address, "sqlite://")
	switch {
	case address == "":
		return "", errNoDatabase
	case !isSQLite:
		return "", other
	}
	return name, nil
}

// Backup copies the configured database to a file, while instances may keep running. It
// fails for PostgreSQL, and if the file exists unless overwrite is set.
func Backup(ctx context.Context, variables map[string]string, file string, overwrite bool) error {
	database, err := sqliteName(variables["DATABASE_URL"], errPgDump)
	if err != nil {
		return err
	}
	err = sqlite.Backup(ctx, database, file, overwrite)
	return unforced(err, file)
}

// Restore replaces the configured database by a backup. No instance may be running. It
// fails for PostgreSQL, and if the database exists unless overwrite is set.
func Restore(ctx context.Context, variables map[string]string, file string, overwrite bool) error {
	database, err := sqliteName(variables["DATABASE_URL"], errPgRestore)
	if err != nil {
		return err
	}
	err = sqlite.Restore(ctx, file, database, overwrite)
	return unforced(err, database)
}

// unforced adds the name of the flag that overwrites.
func unforced(err error, file string) error {
	if errors.Is(err, sqlite.ErrExists) {
		return fmt.Errorf("%s already exists: use --force to overwrite it", file)
	}
	return err
}
