package people_test

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"modernc.org/sqlite"

	"gatehouse.internal/test/harness"
)

// ledger counts the rows that each transaction of SQLite's only writer changes, also those that go
// with others.
type ledger struct {
	mu      sync.Mutex
	now     int
	largest int
	tables  map[string]int
	// of are the tables of the largest transaction.
	of map[string]int
}

// watch begins to count.
func watch(t *testing.T, h *harness.Service) *ledger {
	t.Helper()
	l := &ledger{tables: map[string]int{}}
	conn, err := h.Store.Database().Write.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	err = conn.Raw(func(driver any) error {
		hooks, is := driver.(sqlite.HookRegisterer)
		if !is {
			return fmt.Errorf("%T takes no hooks", driver)
		}
		hooks.RegisterPreUpdateHook(func(change sqlite.SQLitePreUpdateData) { l.changed(change.TableName) })
		hooks.RegisterCommitHook(func() int32 { l.ended(); return 0 })
		hooks.RegisterRollbackHook(l.ended)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := conn.Close(); err != nil { // the pool of the writer keeps its only connection
		t.Fatal(err)
	}
	return l
}

func (l *ledger) changed(table string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.now++
	l.tables[table]++
}

func (l *ledger) ended() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now > l.largest {
		l.largest, l.of = l.now, l.tables
	}
	l.now, l.tables = 0, map[string]int{}
}

// most returns the number of rows of the largest transaction while something was done.
func (l *ledger) most(do func()) (int, map[string]int) {
	l.mu.Lock()
	l.largest, l.of = 0, nil
	l.mu.Unlock()
	do()
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.largest, l.of
}

// mostRows is what the writer changes in well under 50 ms.
const mostRows = 500

// However much a command changes, it holds SQLite's only writer for few rows at a time, with an
// Idempotency-Key too.
func TestTheWriterIsHeldForFewRows(t *testing.T) {
	t.Parallel()
	h := harness.On(t, harness.SQLite(t))
	root := h.Superadmin()
	l := watch(t, h)
	ids := []string{h.SignUp("first@example.com").UserID}
	imported := make([]P, 1500)
	for i := range imported {
		imported[i] = P{"email": fmt.Sprintf("u%d@example.com", i)}
		ids = append(ids, fmt.Sprintf("usr_%026d", i))
	}
	ids = ids[:1500]
	gone := h.SignUp("gone@example.com")
	fill(t, h, `INSERT INTO notifications (id, user_id, kind, event_id, ip, user_agent, created_at, purge_at)
		WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 3000) SELECT 'ntf_' || n, '`+gone.UserID+`', 'k', '', '', '', 0, 0 FROM c`)
	for _, c := range []struct {
		what string
		do   func()
	}{
		{"USER.BULK_DELETE", func() { root.Do("USER.BULK_DELETE", P{"user_ids": ids}).OK() }},
		{"USER.BULK_DELETE, with a key", func() { root.Idempotent("delete").Do("USER.BULK_DELETE", P{"user_ids": ids}).OK() }},
		{"USER.BULK_IMPORT", func() { root.Do("USER.BULK_IMPORT", P{"users": imported}).OK() }},
		{"USER.BULK_IMPORT, at once", func() { root.Do("USER.BULK_IMPORT", P{"users": imported[:200]}).OK() }},
		{"USER.BULK_EXPORT", func() { root.Do("USER.BULK_EXPORT", nil).OK() }},
		{"their jobs", func() { h.RunJobs() }},
		{"SYSTEM.PURGE_EXPIRED", func() { root.Do("SYSTEM.PURGE_EXPIRED", nil).OK() }},
		{"USER.DELETE", func() { root.Do("USER.DELETE", P{"user_id": gone.UserID}).OK() }},
	} {
		if rows, of := l.most(c.do); rows > mostRows {
			t.Errorf("%s: one transaction changes %d rows: %v, want at most %d", c.what, rows, of, mostRows)
		} else {
			t.Logf("%s: %d %v", c.what, rows, of)
		}
	}
}

// fill runs a statement that makes many rows.
func fill(t *testing.T, h *harness.Service, statement string) {
	t.Helper()
	if _, err := h.Store.Database().Write.ExecContext(context.WithoutCancel(t.Context()), statement); err != nil {
		t.Fatal(err)
	}
}
