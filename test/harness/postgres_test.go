package harness_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"gatehouse.internal/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("postgres", dsn)
	if err != nil {
		t.Fatalf("sql.Open(%q) = %v", dsn, err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func run(t *testing.T, db *sql.DB, statement string) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func count(t *testing.T, db *sql.DB, query string) int {
	t.Helper()
	var n int
	if err := db.QueryRowContext(t.Context(), query).Scan(&n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

const userTables = `SELECT count(*) FROM pg_tables WHERE schemaname = 'public'`

func TestPostgresGivesEveryTestItsOwnEmptyDatabase(t *testing.T) {
	t.Parallel()
	for i := range 3 {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			db := open(t, harness.EmptyPostgres(t))
			if got := count(t, db, userTables); got != 0 {
				t.Errorf("%d tables in a new database, want 0", got)
			}
			run(t, db, `CREATE TABLE thing (id TEXT)`)
		})
	}
}

func TestPostgresDropsTheDatabaseWithItsConnections(t *testing.T) {
	t.Parallel()
	var dsn string
	var left *sql.DB
	t.Run("user", func(t *testing.T) {
		dsn = harness.Postgres(t)
		left = open(t, dsn)
		run(t, left, `CREATE TABLE thing (id TEXT)`)
	})
	if err := open(t, dsn).PingContext(t.Context()); err == nil {
		t.Error("the database is still there after its test")
	}
}

func TestPostgresFromCopiesATemplateMadeOnce(t *testing.T) {
	t.Parallel()
	var prepared atomic.Int32
	prepare := func(dsn string) error {
		prepared.Add(1)
		db, err := sql.Open("postgres", dsn)
		if err != nil {
			return err
		}
		_, err = db.ExecContext(t.Context(), `CREATE TABLE thing (id TEXT)`)
		return errors.Join(err, db.Close())
	}
	t.Run("copies", func(t *testing.T) {
		for i := range 4 {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				db := open(t, harness.PostgresFrom(t, "things", prepare))
				run(t, db, `INSERT INTO thing VALUES ('one')`)
				if got := count(t, db, `SELECT count(*) FROM thing`); got != 1 {
					t.Errorf("%d rows, want the 1 of this copy", got)
				}
			})
		}
	})
	if got := prepared.Load(); got != 1 {
		t.Errorf("prepared %d times, want 1", got)
	}
}

func TestServerKeepsWhatWasCommittedOverACrash(t *testing.T) {
	t.Parallel()
	server := harness.PostgresServer(t)
	db := open(t, server.DSN())
	run(t, db, `CREATE TABLE thing (id TEXT)`)
	run(t, db, `INSERT INTO thing VALUES ('one')`)

	server.Stop()
	if err := db.PingContext(t.Context()); err == nil {
		t.Error("Ping of a stopped server = nil, want an error")
	}

	server.Start()
	if got := count(t, db, `SELECT count(*) FROM thing`); got != 1 {
		t.Errorf("%d rows after the restart, want 1", got)
	}
}

// It runs this test binary again, as another process on the same server.
func TestPostgresDropsWhatDeadProcessesLeft(t *testing.T) {
	t.Parallel()
	server := harness.PostgresServer(t)
	db := open(t, server.DSN())
	run(t, db, `CREATE DATABASE gatehouse_00000001_db_1`) // nobody holds lock 1
	run(t, db, `CREATE DATABASE gatehouse_00000002_db_1`) // we hold lock 2
	run(t, db, `CREATE DATABASE gatehouse_of_the_user`)
	holder, err := db.Conn(t.Context())
	if err != nil {
		t.Fatalf("Conn = %v", err)
	}
	defer holder.Close()
	if _, err := holder.ExecContext(t.Context(), `SELECT pg_advisory_lock(2)`); err != nil {
		t.Fatalf("take lock 2: %v", err)
	}

	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestPostgresGivesEveryTestItsOwnEmptyDatabase$")
	other.Env = append(os.Environ(), "TEST_DATABASE_URL="+server.DSN())
	if output, err := other.CombinedOutput(); err != nil {
		t.Fatalf("the other process: %v\n%s", err, output)
	}

	const ours = `SELECT string_agg(datname, ' ' ORDER BY datname) FROM pg_database WHERE datname LIKE 'gatehouse%'`
	var got string
	if err := db.QueryRowContext(t.Context(), ours).Scan(&got); err != nil {
		t.Fatalf("%s: %v", ours, err)
	}
	if want := "gatehouse_00000002_db_1 gatehouse_of_the_user"; got != want {
		t.Errorf("databases left = %q, want %q", got, want)
	}
}
