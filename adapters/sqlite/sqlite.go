// Package sqlite opens a SQLite file for package sqlstore, and holds what is
// special about its SQL.
package sqlite

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"

	"github.com/jmoiron/sqlx"
	_ "modernc.org/sqlite" // the driver "sqlite"

	"gatehouse.internal/adapters/sqlstore"
)

// fewestReaders is the least number of connections that read.
const fewestReaders = 4

var errNoFile = errors.New("the SQLite database requires a file name")

// Open returns the database in a file, which is made when there is none. One
// connection writes, since SQLite has one writer anyway and waiting in Go can be
// fair; the others only read, and see the last commit.
func Open(file string) (sqlstore.Database, error) {
	if file == "" || file == ":memory:" {
		return sqlstore.Database{}, errNoFile
	}
	if err := create(file); err != nil {
		return sqlstore.Database{}, fmt.Errorf("create the SQLite file: %w", err)
	}
	write, err := openPool(file, 1, url.Values{"_txlock": {"immediate"}})
	if err != nil {
		return sqlstore.Database{}, err
	}
	readers := max(fewestReaders, runtime.GOMAXPROCS(0))
	read, err := openPool(file, readers, url.Values{"_pragma": {"query_only(1)"}})
	if err != nil {
		return sqlstore.Database{}, errors.Join(err, write.Close())
	}
	return sqlstore.Database{Dialect: Dialect{file: file}, Write: write, Read: read, Hot: write, Queues: write, Turns: make(chan struct{}, 1)}, nil
}

// create makes the file and its directory, for nobody else to read. SQLite gives
// the files beside it the same permissions.
func create(file string) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	made, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o600) //nolint:gosec // The operator names the file.
	if err != nil {
		return err
	}
	return made.Close()
}

func openPool(file string, connections int, options url.Values) (*sqlx.DB, error) {
	options["_pragma"] = append([]string{
		"busy_timeout(3000)", "journal_mode(WAL)", "foreign_keys(1)", "synchronous(NORMAL)",
	}, options["_pragma"]...)
	options.Set("_time_integer_format", "unix_micro")
	options.Set("_dqs", "0")
	db, err := sqlx.Open("sqlite", address(file, options))
	if err != nil {
		return nil, fmt.Errorf("open the SQLite file: %w", err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, nil
}
