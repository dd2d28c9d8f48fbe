// Package harness gives tests the real world: databases of a real PostgreSQL
// server, started for the occasion where none is named.
//
// Nothing in it skips: what a test needs and cannot have fails the test, with a
// message that says what to install.
package harness

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	_ "github.com/lib/pq" // the driver "postgres"
)

// setupTime bounds every statement that makes or drops a database.
const setupTime = time.Minute

// EmptyPostgres returns the address of a new, empty database of its own to a test,
// and drops it when the test ends, connections or not. Its server is the one that
// TEST_DATABASE_URL names, whose user must be allowed to create databases, else
// a throw-away cluster that all tests of the process share.
func EmptyPostgres(tb testing.TB) string {
	tb.Helper()
	s := sharedServer(tb)
	return s.create(tb, "template0")
}

// PostgresFrom returns a database like Postgres, copied from a template. The
// template is made once per process and name: an empty database, filled by
// prepare, which must close every connection it opened. A copy takes some tens
// of milliseconds, so templates suit what many tests need alike.
func PostgresFrom(tb testing.TB, template string, prepare func(dsn string) error) string {
	tb.Helper()
	s := sharedServer(tb)
	name, err := s.template(template, prepare)
	if err != nil {
		tb.Fatalf("prepare the database template %q: %v", template, err)
	}
	return s.create(tb, name)
}

// sharedServer is the server of the whole process.
func sharedServer(tb testing.TB) *server {
	tb.Helper()
	s, err := connectOnce()
	if err != nil {
		tb.Fatalf("get a PostgreSQL server: %v", err)
	}
	return s
}

var connectOnce = sync.OnceValues(connect)

// server makes and drops databases. Their names carry the process's mark.
type server struct {
	address   address
	mark      mark
	mu        sync.Mutex
	made      int
	templates map[string]func() (string, error)
	pool      pool
	// keep holds whatever must live as long as the process.
	keep []any
}

// create makes a database for one test.
func (s *server) create(tb testing.TB, template string) string {
	tb.Helper()
	name := s.copied(tb, template)
	tb.Cleanup(func() {
		if err := s.drop(name); err != nil {
			tb.Errorf("drop the test's database: %v", err)
		}
	})
	return s.address.database(name).String()
}

// copied makes a database and returns its name.
func (s *server) copied(tb testing.TB, template string) string {
	tb.Helper()
	name := s.name("db")
	if err := s.exec("CREATE DATABASE " + name + " TEMPLATE " + template); err != nil {
		tb.Fatalf("create a database for the test: %v", err)
	}
	return name
}

func (s *server) drop(name string) error {
	return s.exec("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)")
}

// template returns the name of a database that is prepared and has no connections.
func (s *server) template(name string, prepare func(dsn string) error) (string, error) {
	s.mu.Lock()
	once, known := s.templates[name]
	if !known {
		once = sync.OnceValues(func() (string, error) {
			database := s.name("tpl")
			if err := s.exec("CREATE DATABASE " + database + " TEMPLATE template0"); err != nil {
				return "", err
			}
			return database, prepare(s.address.database(database).String())
		})
		s.templates[name] = once
	}
	s.mu.Unlock()
	return once()
}

// name is the next database name; it needs no quoting.
func (s *server) name(kind string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made++
	return fmt.Sprintf("%s_%s_%d", s.mark, kind, s.made)
}

// exec runs statements on a connection of their own, so that no pool stays behind
// to be taken for a leak of the code under test.
func (s *server) exec(statements ...string) error {
	return s.address.with(func(ctx context.Context, db *sql.DB) error {
		for _, statement := range statements {
			if _, err := db.ExecContext(ctx, statement); err != nil {
				return fmt.Errorf("%s: %w", statement, err)
			}
		}
		return nil
	})
}

// with opens the database for one piece of work.
func (a address) with(work func(context.Context, *sql.DB) error) error {
	ctx, cancel := context.WithTimeout(context.Background(), setupTime)
	defer cancel()
	db, err := sql.Open("postgres", a.String())
	if err != nil {
		return fmt.Errorf("open %s: %w", a, err)
	}
	return errors.Join(work(ctx, db), db.Close())
}
