package harness

import (
	"maps"
	"os"
	"testing"
)

// stores are the databases to test on: the one that TEST_STORE names, or else both.
func stores(t *testing.T) map[string]func(testing.TB) string {
	t.Helper()
	all := map[string]func(testing.TB) string{"sqlite": SQLite, "postgres": Postgres}
	if only := os.Getenv("TEST_STORE"); only != "" {
		maps.DeleteFunc(all, func(store string, _ func(testing.TB) string) bool { return store != only })
	}
	if len(all) == 0 {
		t.Fatal("TEST_STORE must be sqlite or postgres")
	}
	return all
}

// OnEachDatabase runs a test on SQLite and on PostgreSQL, side by side, each time with the
// address of a fresh database.
func OnEachDatabase(t *testing.T, test func(t *testing.T, database string)) {
	t.Helper()
	for store, open := range stores(t) {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// OnEachStore is OnEachDatabase with a service on the database.
func OnEachStore(t *testing.T, test func(t *testing.T, h *Service)) {
	t.Helper()
	OnEachDatabase(t, func(t *testing.T, database string) { test(t, On(t, database)) })
}

// OnReplicas is OnEachDatabase with two replicas of a service on the database.
func OnReplicas(t *testing.T, test func(t *testing.T, here, there *Service)) {
	t.Helper()
	OnEachDatabase(t, func(t *testing.T, database string) { test(t, On(t, database), On(t, database)) })
}
