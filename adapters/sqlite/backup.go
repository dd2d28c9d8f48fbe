package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"
	"modernc.org/sqlite"

	"gatehouse.internal/adapters/sqlstore"
)

var (
	// ErrExists says that a file would be overwritten.
	ErrExists = errors.New("the file already exists")
	// ErrRunning says that an instance uses the database.
	ErrRunning = errors.New("an instance is using the database: stop it first")
	// ErrNoBackup says that a file is no whole database of this program.
	ErrNoBackup = errors.New("the file is not an intact backup")
	// ErrNewer says that a backup has a schema that this program does not know.
	ErrNewer = errors.New("the backup was created by a newer version of this program")
)

// Backup writes the database as it is at one moment into another file, while
// instances read and write it. The file appears whole or not at all, for nobody
// else to read. It fails with ErrExists rather than overwrite one unasked.
func Backup(ctx context.Context, database, file string, overwrite bool) error {
	if _, err := os.Stat(database); err != nil {
		return fmt.Errorf("find the database: %w", err)
	}
	if _, err := os.Lstat(file); err == nil && !overwrite {
		return ErrExists
	}
	draft, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*")
	if err != nil {
		return fmt.Errorf("create the backup file: %w", err)
	}
	defer func() { _ = os.Remove(draft.Name()) }()
	defer func() { _ = draft.Close() }()
	if err := copyInto(ctx, database, draft.Name()); err != nil {
		return fmt.Errorf("copy the database: %w", err)
	}
	if _, err := version(ctx, draft.Name()); err != nil {
		return fmt.Errorf("check the copy: %w", err)
	}
	if err := draft.Sync(); err != nil {
		return fmt.Errorf("write the backup to the disk: %w", err)
	}
	return publish(draft.Name(), file, overwrite)
}

// copyInto fills an empty file. It reads in one transaction, which writers do not
// wait for.
func copyInto(ctx context.Context, database, file string) (err error) {
	db, err := sql.Open("sqlite", address(database, url.Values{"mode": {"rw"}, "_pragma": {"busy_timeout(5000)"}}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", file)
	return err
}

// publish renames the draft in one step, and makes that last.
func publish(draft, file string, overwrite bool) error {
	put := os.Link // which does not overwrite
	if overwrite {
		put = os.Rename
	}
	if err := put(draft, file); errors.Is(err, fs.ErrExist) {
		return ErrExists
	} else if err != nil {
		return fmt.Errorf("name the backup: %w", err)
	}
	directory, err := os.Open(filepath.Dir(file))
	if err != nil {
		return fmt.Errorf("open the directory of the backup: %w", err)
	}
	return errors.Join(directory.Sync(), directory.Close())
}

// Restore puts a backup in the place of the database, whose content it replaces
// in one transaction: whatever interrupts it leaves the one or the other. It fails
// with ErrRunning while anybody has the database open, with ErrNoBackup, with
// ErrNewer, and with ErrExists rather than replace a database unasked.
func Restore(ctx context.Context, file, database string, overwrite bool) error {
	if _, err := os.Stat(file); err != nil {
		return fmt.Errorf("find the backup: %w", err)
	}
	have, err := version(ctx, file)
	if err != nil {
		return err
	}
	newest, err := sqlstore.NewestSchema()
	if err != nil {
		return err
	}
	if have > newest {
		return fmt.Errorf("%w (schema version %d, supported version %d)", ErrNewer, have, newest)
	}
	switch _, err := os.Stat(database); {
	case err == nil && !overwrite:
		return ErrExists
	case errors.Is(err, fs.ErrNotExist):
		// Only then: closing a file that somebody here has open would end their locks on it.
		if err := create(database); err != nil {
			return fmt.Errorf("create the SQLite file: %w", err)
		}
	case err != nil:
		return fmt.Errorf("find the database: %w", err)
	}
	return replace(ctx, file, database)
}

// replace holds the database for itself from before it looks until it is done, so
// that no instance starts in between.
func replace(ctx context.Context, file, database string) (err error) {
	db, err := sql.Open("sqlite", address(database, url.Values{"mode": {"rw"}}))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	conn, err := db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("open the database: %w", err)
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	// Leaving the log needs that nobody else is connected, and empties it. The write
	// takes the lock, which the mode keeps after it.
	for _, statement := range []string{
		"PRAGMA locking_mode = EXCLUSIVE", "PRAGMA journal_mode = DELETE", "BEGIN EXCLUSIVE", "COMMIT",
	} {
		_, err := conn.ExecContext(ctx, statement)
		if err != nil && (Dialect{}).Failure(err) == sqlstore.Transient {
			return ErrRunning
		}
		if err != nil {
			return fmt.Errorf("lock the database: %w", err)
		}
	}
	return conn.Raw(func(driver any) error { return copyPages(driver, file) })
}

// copyPages copies all pages of the file into the database of a connection.
func copyPages(driver any, file string) error {
	restorer, ok := driver.(interface {
		NewRestore(source string) (*sqlite.Backup, error)
	})
	if !ok {
		return errors.New("the SQLite driver cannot restore")
	}
	restoring, err := restorer.NewRestore(address(file, url.Values{"mode": {"ro"}}))
	if err != nil {
		return fmt.Errorf("begin the restore: %w", err)
	}
	more, err := restoring.Step(-1)
	if err == nil && more {
		err = errors.New("not all pages were copied")
	}
	if err = errors.Join(err, restoring.Finish()); err != nil {
		return fmt.Errorf("restore the pages: %w", err)
	}
	return nil
}

// version returns the version of the schema in a file, after a check of the whole.
// It fails with ErrNoBackup.
func version(ctx context.Context, file string) (have int64, err error) {
	db, err := sql.Open("sqlite", address(file, url.Values{"mode": {"ro"}}))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var found string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil || found != "ok" {
		return 0, errors.Join(ErrNoBackup, err)
	}
	query := "SELECT COALESCE(MAX(version_id), 0) FROM " + goose.DefaultTablename
	if err := db.QueryRowContext(ctx, query).Scan(&have); err != nil || have == 0 {
		return 0, errors.Join(ErrNoBackup, err)
	}
	return have, nil
}

// address returns the URL of a file for the driver.
func address(file string, options url.Values) string {
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: file}).EscapedPath(), RawQuery: options.Encode()}).String()
}
