package upkeep_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/adapters/sqlstore/ops"
	"gatehouse.internal/adapters/sqlstore/signin"
	"gatehouse.internal/application/upkeep"
	"gatehouse.internal/test/harness"
)

// longest is how long it takes until every task was done at least once.
const longest = time.Minute + time.Second

// start runs keepers until the test ends.
func start(t *testing.T, keepers ...*upkeep.Keeper) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(func() {
		cancel()
		synctest.Wait() // before the store closes
	})
	for _, k := range keepers {
		go k.Run(ctx)
	}
}

// pass lets the keepers do every task.
func pass() {
	time.Sleep(longest)
	synctest.Wait()
}

// store changes the store as the keeper does.
func store(t *testing.T, h *harness.Service, change func(upkeep.Repos) error) {
	t.Helper()
	unit := sqlstore.NewUnit(h.Store, func(tx *sqlstore.Tx) upkeep.Repos {
		return upkeep.Repos{Keys: ops.KeyRing(tx), Failures: signin.LoginFailures(tx), Events: tx.Events()}
	})
	if err := unit.Do(context.Background(), change); err != nil {
		t.Fatalf("change the store: %v", err)
	}
}

// databases are one of each kind, with nothing stored in them.
func databases(t *testing.T) map[string]string {
	t.Helper()
	return map[string]string{
		"sqlite":   harness.SQLite(t),
		"postgres": harness.Postgres(t),
	}
}

// replicate makes four replicas on one database.
func replicate(t *testing.T, database string) ([]*harness.Service, []*upkeep.Keeper) {
	t.Helper()
	var replicas []*harness.Service
	var keepers []*upkeep.Keeper
	for range 4 {
		h := harness.On(t, database)
		replicas, keepers = append(replicas, h), append(keepers, h.Keeper)
	}
	return replicas, keepers
}
