package harness

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

// pool holds the databases with the schema that tests have given back: to empty
// one takes the server a fraction of what it takes to make and drop one. What is
// in it when the process ends is swept like anything else that carries its mark.
type pool struct {
	// made is the shape of a database that no test has touched yet.
	made string

	mu   sync.Mutex
	free []string
}

// prepare fills the template of the pool's databases.
func (p *pool) prepare(dsn string) error {
	if err := migratePostgres(dsn); err != nil {
		return err
	}
	at, err := parseAddress(dsn)
	if err != nil {
		return err
	}
	return at.with(func(ctx context.Context, db *sql.DB) (err error) {
		p.made, err = shapeOf(ctx, db)
		return err
	})
}

func (p *pool) take() (string, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	last := len(p.free) - 1
	if last < 0 {
		return "", false
	}
	name := p.free[last]
	p.free = p.free[:last]
	return name, true
}

func (p *pool) put(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, name)
}

// lend lends a test a database of the pool, or a new one, until the test ends.
func (s *server) lend(tb testing.TB, template string) string {
	tb.Helper()
	name, found := s.pool.take()
	if !found {
		name = s.copied(tb, template)
	}
	tb.Cleanup(func() {
		if err := s.giveBack(name); err != nil {
			tb.Errorf("give the test's database back: %v", err)
		}
	})
	return s.address.database(name).String()
}

// giveBack empties a database for another test, and drops it where that fails. It
// gets a new name, so that nothing which the test left running finds it again.
func (s *server) giveBack(name string) error {
	renamed := s.name("db")
	err := s.exec(
		"ALTER DATABASE "+name+" ALLOW_CONNECTIONS false",                                          // or one that comes now keeps the name for longer than is waited
		"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE datname = '"+name+"'", // waits until they are gone
		"ALTER DATABASE "+name+" RENAME TO "+renamed,
		"ALTER DATABASE "+renamed+" ALLOW_CONNECTIONS true",
	)
	if err != nil {
		return errors.Join(s.drop(name), s.drop(renamed))
	}
	if err := s.address.database(renamed).with(s.pool.empty); err != nil {
		return s.drop(renamed)
	}
	s.pool.put(renamed)
	return nil
}

// empty deletes all rows but those that the schema comes with, which is cheaper than to
// truncate tables with few.
func (p *pool) empty(ctx context.Context, db *sql.DB) error {
	shape, err := shapeOf(ctx, db)
	if err != nil {
		return err
	}
	if shape != p.made {
		return errors.New("a test changed more than rows")
	}
	_, err = db.ExecContext(ctx, `DO $$
		DECLARE used regclass;
		BEGIN
			SET LOCAL session_replication_role = replica; -- in any order, and without cascades
			FOR used IN SELECT oid FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
				AND relname NOT IN ('goose_db_version', 'feed_cursor') AND pg_relation_size(oid) > 0
			LOOP
				EXECUTE 'DELETE FROM ' || used;
			END LOOP;
		END $$`)
	return err
}

// shapeOf reports whether anything but rows has changed, by which transactions wrote
// the catalogs and the versions of the schema. A copy is like its template in that.
func shapeOf(ctx context.Context, db *sql.DB) (string, error) {
	parts := []string{
		`(SELECT (count(last_value), sum(last_value)) FROM pg_sequences)`,
		`(SELECT count(*) FROM pg_db_role_setting s JOIN pg_database d ON d.oid = s.setdatabase
			WHERE d.datname = current_database())`,
	}
	for _, table := range []string{
		"pg_class", "pg_attribute", "pg_attrdef", "pg_constraint", "pg_index", "pg_namespace", "pg_proc",
		"pg_rewrite", "pg_trigger", "pg_type", "goose_db_version",
	} {
		parts = append(parts, `(SELECT (count(*), sum(xmin::text::bigint)) FROM `+table+`)`)
	}
	var shape string
	err := db.QueryRowContext(ctx, `SELECT concat_ws(' ', `+strings.Join(parts, ", ")+`)`).Scan(&shape)
	if err != nil {
		return "", fmt.Errorf("look at the database's catalogs: %w", err)
	}
	return shape, nil
}
