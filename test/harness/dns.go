package harness

import (
	"sync"
	"testing"

	"gatehouse.internal/test/fake/nameserver"
)

// resolvers are by database, so that replicas share one.
var resolvers sync.Map

// resolverOf returns the resolver of a database, until the test ends.
func resolverOf(t testing.TB, database string) *nameserver.Server {
	t.Helper()
	started, _ := resolvers.LoadOrStore(database, sync.OnceValue(func() *nameserver.Server { return nameserver.Start(t) }))
	t.Cleanup(func() { resolvers.Delete(database) })
	return started.(func() *nameserver.Server)()
}
