package postgres_test

import (
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gatehouse.internal/adapters/postgres"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/test/contract"
	"gatehouse.internal/test/contract/sqlports"
	"gatehouse.internal/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	t.Parallel()
	sqlports.Run(t, openerOf(harness.Postgres), openerOf(harness.EmptyPostgres))
}

func openerOf(address func(testing.TB) string) sqlports.Opener {
	return func(t *testing.T) func() sqlstore.Database {
		dsn := address(t)
		return func() sqlstore.Database {
			database, err := postgres.Open(dsn, postgres.Pools{Main: 4, Hot: 1})
			if err != nil {
				t.Fatal(err)
			}
			return database
		}
	}
}

// foundEmpty opens databases whose tables the server found empty, but for the room of
// rows that were deleted: it plans for no rows, and looks in conditions once for each
// that has come since.
func foundEmpty(tables ...string) sqlports.Opener {
	return func(t *testing.T) func() sqlstore.Database {
		again := openerOf(harness.Postgres)(t)
		database := again()
		for _, table := range tables {
			_, err := database.Write.ExecContext(t.Context(), `UPDATE pg_class SET reltuples = 0, relpages = 1000 WHERE oid = $1::regclass`, table)
			if err != nil {
				t.Error(err)
			}
		}
		if err := database.Close(); err != nil {
			t.Error(err)
		}
		return again
	}
}

// No more mail is claimed than was asked for.
func TestMailOfATableFoundEmpty(t *testing.T) {
	t.Parallel()
	contract.Mails(t, sqlports.Tables(foundEmpty("mails")).Ports)
}

// A page of accounts that were just imported does not take minutes.
func TestUsersOfATableFoundEmpty(t *testing.T) {
	t.Parallel()
	contract.UserSearchPages(t, sqlports.Tables(foundEmpty("users", "members")))
}

func TestOpenKeepsThePasswordToItself(t *testing.T) {
	t.Parallel()
	for _, dsn := range []string{
		"postgres://gate:s3cret-pw@localhost:port/db",
		"postgres://gate:s3cret-pw@local host/db",
		"postgres://gate:s3cret-pw%zz@localhost/db",
		"host=localhost password=s3cret-pw sslmode=nonsense",
		"host=localhost password='s3cret-pw",
	} {
		_, err := postgres.Open(dsn, postgres.Pools{})
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("Open(%q) = %v", dsn, err)
		}
	}
}

// openStore opens a store on a new database.
func openStore(t *testing.T) (*sqlstore.Store, sqlstore.Database) {
	t.Helper()
	database, err := postgres.Open(harness.Postgres(t), postgres.Pools{Main: 3})
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlstore.Open(t.Context(), sqlports.Config(t, database))
	if err != nil {
		t.Fatal(err, database.Close())
	}
	t.Cleanup(func() { _ = store.Close() })
	return store, database
}

// Only so does a refresh change its row within the page (HOT) and no index.
func TestARefreshWritesNoIndex(t *testing.T) {
	t.Parallel()
	_, database := openStore(t)
	var indexed []string
	err := database.Read.SelectContext(t.Context(), &indexed, `
		SELECT DISTINCT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
		WHERE i.indrelid = 'sessions'::regclass
		AND a.attname IN ('refresh', 'previous', 'rotated_at', 'last_used_at', 'version')`)
	if err != nil || len(indexed) > 0 {
		t.Errorf("these columns of sessions are indexed: %v (%v)", indexed, err)
	}
}

func TestClockIsTheServers(t *testing.T) {
	t.Parallel()
	store, _ := openStore(t)
	shown, _, err := ops.Upkeep(store).Clocks(t.Context())
	if off := time.Since(shown).Abs(); err != nil || off > time.Minute {
		t.Errorf("the server's clock is %v off (%v)", off, err)
	}
}

func TestLostConnections(t *testing.T) {
	t.Parallel()
	store, database := openStore(t)
	unit := sqlstore.NewUnit(store, func(tx *sqlstore.Tx) *sqlstore.Tx { return tx })
	change := func() error {
		return unit.Do(t.Context(), func(tx *sqlstore.Tx) error {
			_, err := signin.LoginFailures(tx).Count(t.Context(), time.Unix(0, 0))
			return err
		})
	}
	for range 3 {
		if err := change(); err != nil {
			t.Fatal(err)
		}
		if _, err := ops.Instance(store).Load(t.Context()); err != nil {
			t.Fatal(err)
		}
		// All but the one that asks, which is then of another pool.
		if _, err := database.Hot.ExecContext(t.Context(), `
			SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid()`); err != nil {
			t.Fatal(err)
		}
	}
}
