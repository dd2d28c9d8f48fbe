package harness_test

import (
	"context"
	"sync"
	"testing"

	"gatehouse.internal/test/harness"
)

// The tests of the pool run one after another, so that each gets back first what
// it gave last. A database keeps its number when its name changes.
const (
	number = `SELECT oid FROM pg_database WHERE datname = current_database()`
	filled = `SELECT count(*) FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('goose_db_version', 'feed_cursor')
		AND query_to_xml('SELECT 1 FROM ' || tablename || ' LIMIT 1', false, false, '')::text LIKE '%row%'`
	versions = `SELECT count(*) FROM goose_db_version`
	setting  = `INSERT INTO settings VALUES ('one', '1') ON CONFLICT DO NOTHING`
)

func TestPostgresGivesADatabaseAgainEmptied(t *testing.T) {
	var first, before int
	t.Run("first", func(t *testing.T) {
		dsn := harness.Postgres(t)
		harness.On(t, dsn).SignUp("ada@example.com")
		db := open(t, dsn)
		first, before = count(t, db, number), count(t, db, versions)
		if got := count(t, db, filled); got < 5 {
			t.Errorf("a sign-up filled %d tables, want more", got)
		}
	})
	dsn := harness.Postgres(t)
	db := open(t, dsn)
	if got := count(t, db, number); got != first {
		t.Errorf("got database %d, want %d again", got, first)
	}
	if got := count(t, db, filled); got != 0 {
		t.Errorf("%d tables have rows, want none", got)
	}
	if got := count(t, db, versions); got != before {
		t.Errorf("%d versions of the schema, want %d", got, before)
	}
	harness.On(t, dsn).SignUp("ada@example.com")
}

func TestPostgresDropsADatabaseOfWhichMoreThanRowsChanged(t *testing.T) {
	for name, statement := range map[string]string{
		"new function":      `CREATE FUNCTION thing() RETURNS INT LANGUAGE sql AS 'SELECT 1'`,
		"no index":          `DROP INDEX rate_limits_expires_at`,
		"no trigger":        `ALTER TABLE users DISABLE TRIGGER ALL`,
		"setting":           `DO $$ BEGIN EXECUTE 'ALTER DATABASE ' || current_database() || ' SET work_mem = 64'; END $$`,
		"sequence":          `SELECT nextval('goose_db_version_id_seq')`,
		"version forgotten": `DELETE FROM goose_db_version WHERE version_id = 1`,
	} {
		t.Run(name, func(t *testing.T) {
			var changed int
			t.Run("first", func(t *testing.T) {
				db := open(t, harness.Postgres(t))
				changed = count(t, db, number)
				run(t, db, statement)
			})
			db := open(t, harness.Postgres(t))
			if got := count(t, db, number); got == changed {
				t.Error("got the changed database again")
			}
		})
	}
}

func TestPostgresDoesNotGiveADatabaseToTwo(t *testing.T) {
	first, second := open(t, harness.Postgres(t)), open(t, harness.Postgres(t))
	if got := count(t, second, number); got == count(t, first, number) {
		t.Errorf("both got database %d", got)
	}
}

// What a test leaves running ends with its database, however often it connects anew.
func TestPostgresKeepsTheLastTestAway(t *testing.T) {
	var first int
	var writing sync.WaitGroup
	ctx, stop := context.WithCancel(t.Context())
	tried := make(chan struct{})
	t.Cleanup(func() { stop(); writing.Wait() })
	parent := t
	t.Run("first", func(t *testing.T) {
		db := open(parent, harness.Postgres(t))
		first = count(t, db, number)
		for range 4 {
			writing.Go(func() {
				for ctx.Err() == nil {
					_, _ = db.ExecContext(ctx, setting)
					select {
					case tried <- struct{}{}:
					default:
					}
				}
			})
		}
		<-tried
	})
	db := open(t, harness.Postgres(t))
	if got := count(t, db, number); got != first {
		t.Errorf("got database %d, want %d again", got, first)
	}
	for range 20 {
		<-tried
	}
	if got := count(t, db, filled); got != 0 {
		t.Errorf("%d tables have rows, want none", got)
	}
}
