// Package postgres opens a PostgreSQL database for package sqlstore, and holds
// what is special about its SQL.
package postgres

import (
	"cmp"
	"database/sql"
	"fmt"
	"maps"
	"runtime"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"gatehouse.internal/adapters/sqlstore"
)

// How connections are kept.
const (
	perCore    = 4
	fewest     = 8
	hotDefault = 3
	queues     = 3
	idleTime   = 5 * time.Minute
	lifeTime   = time.Hour
)

// idleLimit ends a transaction whose process hangs, so that it does not hold its
// locks for ever.
const idleLimit = "idle_in_transaction_session_timeout"

// Pools is how many connections are opened at most; 0 stands for a number that
// suits the machine.
type Pools struct {
	// Main is for requests, each of its own.
	Main int
	// Hot is for the work that requests share.
	Hot int
}

// Open returns a database by its URL or its key=value form. It does not connect yet.
func Open(dsn string, pools Pools) (sqlstore.Database, error) {
	config, err := readAddress(dsn)
	if err != nil {
		return sqlstore.Database{}, fmt.Errorf("read the PostgreSQL address: %w", err)
	}
	config.Runtime["timezone"] = "UTC"
	if config.Runtime[idleLimit] == "" {
		config.Runtime[idleLimit] = "60s"
	}
	config.FallbackApplicationName = cmp.Or(config.FallbackApplicationName, "gatehouse")
	main := openPool(config, cmp.Or(pools.Main, max(fewest, perCore*runtime.GOMAXPROCS(0))))
	hot := openPool(lookUps(config), cmp.Or(pools.Hot, hotDefault))
	return sqlstore.Database{Dialect: Dialect{}, Write: main, Read: main, Hot: hot, Queues: openPool(lookUps(config), queues), ChangesInWith: true}, nil
}

// lookUps makes the server find every row by an index: that is all that the shared work and
// that of the queues does, and a plan made while a table was small, as a queue mostly is, stays
// good when it has grown.
func lookUps(config pq.Config) pq.Config {
	config.Runtime = maps.Clone(config.Runtime)
	maps.Copy(config.Runtime, byIndex())
	return config
}

func byIndex() map[string]string {
	return map[string]string{"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off"}
}

// openPool keeps every connection it opened for a while: a new one costs a
// handshake and prepares every statement anew.
func openPool(config pq.Config, connections int) *sqlx.DB {
	db := sql.OpenDB(connector{config})
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	db.SetConnMaxIdleTime(idleTime)
	db.SetConnMaxLifetime(lifeTime)
	return sqlx.NewDb(db, "postgres")
}
