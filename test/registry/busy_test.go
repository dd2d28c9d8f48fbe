package registry_test

import (
	"strings"
	"sync"
	"testing"

	"gatehouse.internal/adapters/sqlite"
	"gatehouse.internal/domain/fault"
	"gatehouse.internal/test/fake/upstream"
	"gatehouse.internal/test/harness"
)

// While something holds the one connection of SQLite that writes, what only reads is answered
// as ever, and what writes is told to come back: that is no error of the service.
func TestOnlyWritesWaitForTheWriter(t *testing.T) {
	t.Parallel()
	database := harness.SQLite(t)
	google := upstream.StartAll(t)
	h := harness.On(t, database, append(upstream.Environment(google), "SOCIAL_REDIRECT_URLS="+page)...)
	calls := prepare(t, h, google[upstream.Google])
	defer hold(t, database)()
	for _, c := range calls {
		if c.Effect == "none" {
			if got := c.who.Do(c.Name, needed(c.row, c.params)); got.Failure != nil && (got.Failure.Service || got.Failure.Code == fault.Internal) {
				t.Errorf("%s while the writer is held: %v", c.Name, got.Failure)
			}
		}
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	recorded := map[string]bool{}
	for _, c := range calls {
		if c.Effect != "store" {
			continue
		}
		all.Go(func() {
			got := c.who.Do(c.Name, c.params)
			if got.Failure == nil {
				return // it had nothing to store
			}
			mu.Lock()
			defer mu.Unlock()
			recorded[c.Name] = got.Failure.Service && got.Failure.RetryAfter > 0
			if got.Failure.Code == fault.Internal {
				t.Errorf("%s while the writer is held: %v", c.Name, got.Failure)
			}
		})
	}
	all.Wait()
	for _, name := range []string{"AUTH.LOGIN", "AUTH.REFRESH", "AUTH.SIGNUP", "M2M.TOKEN", "OAUTH.TOKEN", "TEAM.CREATE", "USER.UPDATE"} {
		if !recorded[name] {
			t.Errorf("%s is not told to come back", name)
		}
	}
}

// hold holds the writer as another process does.
func hold(t *testing.T, database string) (release func()) {
	t.Helper()
	other, err := sqlite.Open(strings.TrimPrefix(database, "sqlite://"))
	if err != nil {
		t.Fatal(err)
	}
	tx, err := other.Write.BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := tx.Rollback(); err != nil {
			t.Error(err)
		}
		if err := other.Close(); err != nil {
			t.Error(err)
		}
	}
}
