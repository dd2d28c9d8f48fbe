package sqlite_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"gatehouse.internal/adapters/sqlite"
	"gatehouse.internal/adapters/sqlstore"
	"gatehouse.internal/ports/outbound/ops"
	"gatehouse.internal/test/contract/sqlports"
	"gatehouse.internal/test/harness"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	t.Parallel()
	sqlports.Run(t, openerOf(withSchema), openerOf(unmade))
}

func openerOf(file func(t *testing.T) string) sqlports.Opener {
	return func(t *testing.T) func() sqlstore.Database {
		name := file(t)
		return func() sqlstore.Database {
			database, err := sqlite.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			return database
		}
	}
}

// unmade returns the name of a file that is not there yet; it has to be escaped in a URL.
func unmade(t *testing.T) string { return filepath.Join(t.TempDir(), "gate house?#%41.db") }

// withSchema returns the name of a file that has the schema and nothing in it.
func withSchema(t *testing.T) string {
	file := unmade(t)
	if err := os.Rename(strings.TrimPrefix(harness.SQLite(t), "sqlite://"), file); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestOpenNeedsAFile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", ":memory:"} {
		if _, err := sqlite.Open(name); err == nil {
			t.Errorf("Open(%q) succeeded", name)
		}
	}
}

func TestFilesAreForNobodyElse(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "data", "gatehouse.db")
	database, err := sqlite.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = database.Close() }()
	if _, err := database.Write.ExecContext(t.Context(), `CREATE TABLE thing (id TEXT)`); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		info, err := os.Stat(name)
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestReadersCannotWrite(t *testing.T) {
	t.Parallel()
	database, err := sqlite.Open(filepath.Join(t.TempDir(), "gatehouse.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = database.Close() }()
	if _, err := database.Read.ExecContext(t.Context(), `CREATE TABLE thing (id TEXT)`); err == nil {
		t.Error("a connection for reading wrote")
	}
}

// A re-encryption that cannot clear the log of what it overwrote says so.
func TestReencryptionOfABusyLog(t *testing.T) {
	t.Parallel()
	database, err := sqlite.Open(filepath.Join(t.TempDir(), "gatehouse.db"))
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlstore.Open(t.Context(), sqlports.Config(t, database))
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	reader, err := database.Read.Beginx()
	if err != nil {
		t.Fatal(err)
	}
	var users int
	if err := reader.Get(&users, `SELECT COUNT(*) FROM users`); err != nil {
		t.Fatal(err)
	}
	if err := reencrypt(t, store); err == nil || !strings.Contains(err.Error(), "overwritten values") {
		t.Errorf("a re-encryption while the log is read = %v", err)
	}
	if err := reader.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := reencrypt(t, store); err != nil {
		t.Errorf("a re-encryption while nobody reads = %v", err)
	}
}

// reencrypt runs all batches.
func reencrypt(t *testing.T, store *sqlstore.Store) (err error) {
	t.Helper()
	for step := (ops.ReencryptStep{}); err == nil && !step.Done; {
		step, err = store.Reencryption().Batch(t.Context(), step.Next)
	}
	return err
}
